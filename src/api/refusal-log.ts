import type { Log, LogFields } from '#platform/log'

/** A caller's mistakes are worth reading one by one up to here; more are counted. */
const MAX_LINES_PER_S = 50

/** Logs refused calls, so many a second: a stranger who is refused must not fill the disk. */
export class RefusalLog {
  readonly #log: Log
  #secondStartedMs = 0
  #lines = 0

  constructor(log: Log) {
    this.#log = log
  }

  note(fields: LogFields, nowMs: number): void {
    if (Math.abs(nowMs - this.#secondStartedMs) >= 1000) this.#startSecond(nowMs)
    this.#lines += 1
    if (this.#lines <= MAX_LINES_PER_S) this.#log.info(fields, 'a call was refused')
  }

  #startSecond(nowMs: number): void {
    const unwritten = this.#lines - MAX_LINES_PER_S
    if (unwritten > 0) this.#log.warn({ count: unwritten }, 'more calls were refused in a second')
    this.#secondStartedMs = nowMs
    this.#lines = 0
  }
}
