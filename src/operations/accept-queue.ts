import type { Database } from '#platform/database'
import { acceptAll, MAX_ACCEPTED_AT_ONCE } from './accept-store.ts'
import { isFaultOfData } from './faults.ts'
import type { OperationRequest } from './operation.ts'

export type AcceptOutcome = { kind: 'accepted' } | { kind: 'alreadyProcessed' } | { kind: 'full' }

/** Waiting operations of one process, in number and in size. Beyond that a caller is asked to wait. */
const MAX_WAITING = 5_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024

interface Waiting {
  request: OperationRequest
  sizeBytes: number
  resolve: (outcome: AcceptOutcome) => void
  reject: (fault: unknown) => void
}

/**
 * Group commit: requests that arrive while a commit is under way share the next one. An operation is
 * only ever answered after its commit; nothing said yes to lives here alone.
 */
export class AcceptQueue {
  readonly #database: Database
  readonly #onAccepted: (projectId: number) => void
  readonly #waiting = new Map<number, Waiting[]>()
  #count = 0
  #sizeBytes = 0

  constructor(database: Database, onAccepted: (projectId: number) => void) {
    this.#database = database
    this.#onAccepted = onAccepted
  }

  get waitingCount(): number {
    return this.#count
  }

  async accept(
    projectId: number,
    request: OperationRequest,
    sizeBytes: number,
  ): Promise<AcceptOutcome> {
    if (this.#count >= MAX_WAITING || this.#sizeBytes >= MAX_WAITING_BYTES) return { kind: 'full' }
    this.#count += 1
    this.#sizeBytes += sizeBytes
    return await new Promise<AcceptOutcome>((resolve, reject) => {
      const waiting = { request, sizeBytes, resolve, reject }
      const queue = this.#waiting.get(projectId)
      if (queue !== undefined) {
        queue.push(waiting)
        return
      }
      const first = [waiting]
      this.#waiting.set(projectId, first)
      void this.#commitAll(projectId, first)
    })
  }

  /**
   * One commit after another while requests of the project wait. Never throws. Two at once were tried: they
   * won nothing, and operations were numbered in another order than they were received.
   */
  async #commitAll(projectId: number, queue: Waiting[]): Promise<void> {
    // Requests read from the sockets in this turn of the event loop join the first commit.
    await new Promise(setImmediate)
    while (queue.length > 0) {
      await this.#commit(projectId, queue.splice(0, MAX_ACCEPTED_AT_ONCE))
    }
    this.#waiting.delete(projectId)
  }

  async #commit(projectId: number, batch: Waiting[]): Promise<void> {
    try {
      const outcomes = await acceptBatch(
        this.#database,
        projectId,
        batch.map((waiting) => waiting.request),
      )
      this.#onAccepted(projectId)
      batch.forEach((waiting, index) => {
        waiting.resolve(outcomes[index] ?? { kind: 'alreadyProcessed' })
      })
    } catch (fault) {
      // One operation that the database cannot hold must not cost the others theirs.
      if (batch.length > 1 && isFaultOfData(fault)) {
        for (const waiting of batch) await this.#commit(projectId, [waiting])
        return
      }
      for (const waiting of batch) waiting.reject(fault)
    }
    this.#count -= batch.length
    for (const waiting of batch) this.#sizeBytes -= waiting.sizeBytes
  }
}

async function acceptBatch(
  database: Database,
  projectId: number,
  requests: OperationRequest[],
): Promise<AcceptOutcome[]> {
  const firsts = firstOfEachTransaction(requests)
  const isAccepted = await acceptAll(database, projectId, firsts)
  const accepted = new Set(firsts.filter((_, index) => isAccepted[index]))
  return requests.map((request) => ({
    kind: accepted.has(request) ? 'accepted' : 'alreadyProcessed',
  }))
}

/** Of requests with one transaction in one batch, the first does the work. */
function firstOfEachTransaction(requests: OperationRequest[]): OperationRequest[] {
  const seen = new Set<string>()
  return requests.filter((request) => {
    if (request.transactionId === null) return true
    const key = `${request.mechanism}\n${request.transactionId}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
