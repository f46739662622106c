export interface Allowance {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Until the window starts anew. */
  resetS: number
}

const WINDOW_MS = 60_000
/** Callers counted at once; an attacker with more addresses than this is counted roughly. */
const MAX_COUNTERS = 50_000

/**
 * Counts requests in windows of a minute. Counters live in the process, so behind several processes
 * each allows the whole rate.
 */
export class RateLimiter {
  readonly #counters = new Map<string, number>()
  #windowEndsMs = 0

  take(key: string, limit: number, nowMs: number): Allowance {
    // A clock that was set back starts a new window instead of holding the old one for long.
    if (nowMs >= this.#windowEndsMs || nowMs < this.#windowEndsMs - WINDOW_MS) {
      this.#counters.clear()
      this.#windowEndsMs = nowMs + WINDOW_MS
    }
    const count = (this.#counters.get(key) ?? 0) + 1
    const isAllowed = count <= limit
    if (isAllowed && (count > 1 || this.#counters.size < MAX_COUNTERS)) {
      this.#counters.set(key, count)
    }
    return {
      isAllowed,
      limit,
      remaining: Math.max(limit - count, 0),
      resetS: Math.ceil((this.#windowEndsMs - nowMs) / 1000),
    }
  }
}
