import type { Sql } from '#platform/database'
import { reserveIdBlocks } from './record-ids-store.ts'

/** How many numbers one step of the sequence `record_id` reserves. */
const BLOCK = 100

/** Numbers reserved for new records. What a batch does not use serves the next one. */
export class RecordIds {
  #blocks: { next: number; end: number }[] = []
  #available = 0
  readonly #ahead: number

  /** `ahead`: how many more to reserve than asked for, where the next batch would ask again. */
  constructor(ahead = 0) {
    this.#ahead = ahead
  }

  /** Makes sure that `count` calls of `take` will succeed. */
  async reserve(sql: Sql, count: number): Promise<void> {
    const missing = count - this.#available
    if (missing <= 0) return
    for (const first of await reserveIdBlocks(sql, Math.ceil((missing + this.#ahead) / BLOCK))) {
      this.#blocks.push({ next: first, end: first + BLOCK })
      this.#available += BLOCK
    }
  }

  take(): string {
    const block = this.#blocks[0]
    if (block === undefined) throw new Error('more record ids were taken than reserved')
    const id = block.next++
    this.#available--
    if (block.next === block.end) this.#blocks.shift()
    return String(id)
  }
}
