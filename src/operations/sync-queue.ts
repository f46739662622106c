import type { OperationOutcome, OperationRequest } from './operation.ts'

export type SyncOutcome = OperationOutcome | { kind: 'full' } | { kind: 'withdrawn' }

export interface WaitingSync {
  request: OperationRequest
  /** Counts the arrivals at this queue. */
  arrival: number
  /** The caller has waited as long as it may. */
  isOverdue: boolean
  /** The youngest accepted operation that must be applied before this one; undefined: not known yet. */
  fence: number | undefined
  resolve: (outcome: SyncOutcome) => void
  reject: (fault: unknown) => void
}

const MAX_WAITING = 2_000

/** Sync operations of one project that wait for their turn. A caller waits at most `maxWaitMs`. */
export class SyncQueue {
  readonly #maxWaitMs: number
  #waiting: WaitingSync[] = []
  #arrivals = 0

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs
  }

  get length(): number {
    return this.#waiting.length
  }

  /** The last arrival so far. What happens from now on is later than every operation up to it. */
  get lastArrival(): number {
    return this.#arrivals
  }

  async wait(request: OperationRequest): Promise<SyncOutcome> {
    if (this.#waiting.length >= MAX_WAITING) return { kind: 'full' }
    return await new Promise<SyncOutcome>((resolve, reject) => {
      const timer = setTimeout(() => this.#withdraw(waiting), this.#maxWaitMs)
      const waiting: WaitingSync = {
        request,
        arrival: ++this.#arrivals,
        isOverdue: false,
        fence: undefined,
        resolve: (outcome) => {
          clearTimeout(timer)
          resolve(outcome)
        },
        reject: (fault) => {
          clearTimeout(timer)
          reject(fault)
        },
      }
      this.#waiting.push(waiting)
    })
  }

  /** Takes those whose turn has come. From here on they are answered, never withdrawn. */
  take(limit: number, isTurn: (waiting: WaitingSync) => boolean): WaitingSync[] {
    const taken: WaitingSync[] = []
    const kept: WaitingSync[] = []
    for (const waiting of this.#waiting) {
      if (taken.length < limit && isTurn(waiting)) taken.push(waiting)
      else kept.push(waiting)
    }
    this.#waiting = kept
    return taken
  }

  /** After a batch that failed as a whole: they keep their place, if they may still wait. */
  putBack(taken: WaitingSync[]): void {
    for (const waiting of taken) if (waiting.isOverdue) waiting.resolve({ kind: 'withdrawn' })
    this.#waiting = [...taken.filter(({ isOverdue }) => !isOverdue), ...this.#waiting]
  }

  /** Sets the fence of those that have none yet and arrived before it was read. */
  setFence(fence: number, lastArrival: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.arrival <= lastArrival) waiting.fence ??= fence
    }
  }

  #withdraw(waiting: WaitingSync): void {
    waiting.isOverdue = true
    if (!this.#waiting.includes(waiting)) return
    this.#waiting = this.#waiting.filter((other) => other !== waiting)
    waiting.resolve({ kind: 'withdrawn' })
  }
}
