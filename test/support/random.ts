/** Numbers that look random and are the same in every run. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number
  /** A whole number, at least 0, less than `limit`. */
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  chance(probability: number): boolean
  /** A generator of its own, so that workers do not depend on each other's order. */
  fork(): Random
}

/** Mulberry32: small, fast, and good enough to choose what a test does. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: (choices) => {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new RangeError('nothing to pick from')
      return choice
    },
    chance: (probability) => next() < probability,
    fork: () => seededRandom(below(2 ** 32)),
  }
}
