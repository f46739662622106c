import { MailingIds, RecordIds, readNow } from '#history'
import type { Database, Transaction } from '#platform/database'
import { applyBatch } from './apply-batch.ts'
import { isFaultOfData } from './faults.ts'
import { enterLane, lastInInbox, takeFromInbox } from './inbox-store.ts'
import type { OperationOutcome, OperationRequest, Turn } from './operation.ts'
import { setAside } from './set-aside.ts'
import { type SyncOutcome, SyncQueue, type WaitingSync } from './sync-queue.ts'

export interface LaneParts {
  database: Database
  projectId: number
  /** Custom fields whose values are exported readable. */
  openFields: () => ReadonlySet<string>
  onFault: (fault: unknown, what: string) => void
  maxSyncWaitMs: number
}

/** What a batch took, known even when it fails. */
interface Taken {
  fromInbox: Turn[]
  /** Nothing older than the batch is left in the inbox. */
  isDrained: boolean
  sync: WaitingSync[]
}

/** Larger batches win little and keep a sync caller waiting longer. */
const MAX_BATCH = 256
/**
 * Nobody waits for an accepted operation to be applied, so a lane that has caught up rests this long, and
 * then has more to do at once: a full batch costs half as much per operation as one of thirty. Resting
 * longer while callers queue up to be accepted was tried: acceptance won a fifth, and what was won had to
 * be caught up later while sync callers waited.
 */
const REST_MS = 30
/** Numbers for some ten batches, so that most of them need not ask. */
const IDS_AHEAD = 2_000
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 2_000

/**
 * Applies the operations of one project in the order they were accepted, one batch at a time. Any
 * number of processes may have a lane for the project: a row lock lets one through.
 */
export class Lane implements AsyncDisposable {
  readonly #parts: LaneParts
  readonly #sync: SyncQueue
  #ids = new RecordIds(IDS_AHEAD)
  readonly #mailingIds = new MailingIds()
  #running: Promise<void> | undefined
  #isWoken = false
  #isStopped = false
  #endRest: (() => void) | undefined
  /** Batches still to be run one operation at a time, to find the one that fails. */
  #aloneCount = 0

  constructor(parts: LaneParts) {
    this.#parts = parts
    this.#sync = new SyncQueue(parts.maxSyncWaitMs)
  }

  get waitingCount(): number {
    return this.#sync.length
  }

  async perform(request: OperationRequest): Promise<SyncOutcome> {
    const outcome = this.#sync.wait(request)
    this.wake()
    return await outcome
  }

  /** There may be work. */
  wake(): void {
    this.#isWoken = true
    if (this.#sync.length > 0) this.#endRest?.()
    if (this.#running !== undefined || this.#isStopped) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      if (this.#isWoken && !this.#isStopped) this.wake()
    })
  }

  /** Finishes the batch under way and the sync callers; what is in the inbox is safe there. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#sync.length > 0 && this.#running !== undefined) await this.#running
    this.#isStopped = true
    this.#endRest?.()
    await this.#running
  }

  async #run(): Promise<void> {
    let waitMs = FIRST_WAIT_MS
    // Requests read from the sockets in this turn of the event loop join the first batch.
    await new Promise(setImmediate)
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false
      try {
        if (await this.#batch()) this.#isWoken = true
        else await this.#rest()
        waitMs = FIRST_WAIT_MS
      } catch (fault) {
        this.#parts.onFault(fault, 'a batch of operations was not applied and is tried again')
        this.#isWoken = true
        await new Promise((resolve) => setTimeout(resolve, waitMs))
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
      }
    }
  }

  /** Ends early when somebody waits for an answer, or at the end. */
  async #rest(): Promise<void> {
    if (this.#sync.length > 0 || this.#isStopped) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REST_MS)
      this.#endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endRest = undefined
  }

  /** Runs one batch and answers whether there may be more. */
  async #batch(): Promise<boolean> {
    const limit = this.#aloneCount > 0 ? 1 : MAX_BATCH
    const taken: Taken = { fromInbox: [], isDrained: true, sync: [] }
    try {
      const outcomes = await this.#parts.database.transaction((transaction) =>
        this.#takeAndApply(transaction, limit, taken),
      )
      if (this.#aloneCount > 0) this.#aloneCount -= 1
      taken.sync.forEach((waiting, index) => {
        const outcome = outcomes[index]
        if (outcome === undefined) waiting.reject(new Error('a sync operation without an outcome'))
        else waiting.resolve(outcome)
      })
    } catch (fault) {
      // Numbers reserved by a transaction that did not commit may be given out again after a crash.
      this.#ids = new RecordIds(IDS_AHEAD)
      await this.#recover(fault, taken)
      return true
    }
    return !taken.isDrained || this.#sync.length > 0
  }

  /**
   * Takes what is next and applies it. A sync operation comes after everything accepted before it
   * arrived: either the inbox was empty after that, or the youngest of them is in this batch.
   */
  async #takeAndApply(
    transaction: Transaction,
    limit: number,
    taken: Taken,
  ): Promise<OperationOutcome[]> {
    const { projectId } = this.#parts
    const lastArrival = this.#sync.lastArrival
    // Sent together: what follows the lock is done, and sees what is there, once the lane is ours.
    const [, { turns: fromInbox, isDrained }, now] = await Promise.all([
      enterLane(transaction, projectId),
      takeFromInbox(transaction, projectId, limit),
      readNow(transaction, projectId),
    ])
    taken.fromInbox = fromInbox
    const last = Number(fromInbox.at(-1)?.operationId ?? 0)
    taken.isDrained = isDrained
    if (!isDrained && this.#sync.length > 0) {
      const fence = await lastInInbox(transaction, projectId)
      this.#sync.setFence(fence ?? last, lastArrival)
    }
    const room = limit === 1 ? 1 - fromInbox.length : limit
    taken.sync = this.#sync.take(room, ({ arrival, fence }) =>
      isDrained ? arrival <= lastArrival : fence !== undefined && fence <= last,
    )
    if (fromInbox.length + taken.sync.length === 0) return []
    const { outcomes, sent } = await applyBatch(transaction, {
      projectId,
      openFields: this.#parts.openFields(),
      ids: this.#ids,
      fromInbox,
      sync: taken.sync.map((waiting) => waiting.request),
      mailingIds: this.#mailingIds,
      now,
    })
    await transaction.commitWith(sent)
    return outcomes
  }

  /** Decides who pays for a failed batch: nobody yet, the one that fails alone, or the callers. */
  async #recover(fault: unknown, taken: Taken): Promise<void> {
    const count = taken.sync.length + taken.fromInbox.length
    if (!isFaultOfData(fault)) {
      // The outcome may be unknown, so a sync operation is not tried again behind its caller's back.
      for (const waiting of taken.sync) waiting.reject(fault)
      throw fault
    }
    if (count > 1) {
      this.#sync.putBack(taken.sync)
      this.#aloneCount = count
      this.#parts.onFault(fault, `a batch of ${count} operations failed; each is tried alone`)
      return
    }
    if (this.#aloneCount > 0) this.#aloneCount -= 1
    for (const waiting of taken.sync) waiting.reject(fault)
    const [poisonous] = taken.fromInbox
    if (poisonous === undefined) return
    this.#parts.onFault(fault, 'an operation cannot be applied and is set aside as Failed')
    await setAside(this.#parts.database, this.#parts.projectId, poisonous.operationId)
  }
}
