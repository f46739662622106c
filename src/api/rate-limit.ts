export interface Allowance {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Until the window starts anew. */
  resetS: number
}

const WINDOW_MS = 60_000
/** Callers counted one by one; those beyond share a count, so that more addresses win an attacker nothing. */
const MAX_COUNTERS = 50_000
const OTHERS = ''

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
    const isCounted = this.#counters.has(key) || this.#counters.size < MAX_COUNTERS
    const counter = isCounted ? key : OTHERS
    const count = (this.#counters.get(counter) ?? 0) + 1
    const isAllowed = count <= limit
    if (isAllowed) this.#counters.set(counter, count)
    return {
      isAllowed,
      limit,
      remaining: Math.max(limit - count, 0),
      resetS: Math.ceil((this.#windowEndsMs - nowMs) / 1000),
    }
  }
}

/** Whom an address stands for: whoever has an IPv6 address has all of its /64. */
export function callerOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? 8 - groups.length - rest.length : 0
  const all = [...groups, ...new Array<string>(Math.max(zeros, 0)).fill('0'), ...rest]
  return `${all.slice(0, 4).join(':')}::/64`
}
