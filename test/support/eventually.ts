import { setTimeout as sleep } from 'node:timers/promises'

/** Generous, because a busy machine is slow and not wrong. */
const PATIENCE_MS = 60_000
const PERIOD_MS = 25

/** Looks again and again until `look` gives something other than undefined, null or false. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false) return found
    if (Date.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what}`)
    await sleep(PERIOD_MS)
  }
}
