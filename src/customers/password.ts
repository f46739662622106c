import { hash } from '@node-rs/argon2'

/** `Algorithm.Argon2id`; the package declares it in a way that unbuilt TypeScript cannot import. */
const ARGON2ID = 2

/** Hashing runs on the threads of the runtime, of which there are four; files and DNS need theirs. */
const MAX_AT_ONCE = 2
/** Two at a time take some 50 ms each here, so the last of these waits about a second. */
const MAX_WAITING = 64

/** Turns passwords into argon2id hashes, a bounded number at a time. */
export class PasswordHasher {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Undefined: too many are waiting already. */
  async hash(password: string): Promise<string | undefined> {
    if (this.#running >= MAX_AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) return undefined
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else {
      this.#running += 1
    }
    try {
      return await hash(password, { algorithm: ARGON2ID })
    } finally {
      // The place is handed over, so nobody slips in between.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
