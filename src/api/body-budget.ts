/** Bodies held at once by one process, from their first bytes to their answers. */
const MAX_HELD_BYTES = 64 * 1024 * 1024

/** Keeps callers who send slowly, or many at once, from filling the memory. */
export class BodyBudget {
  #heldBytes = 0

  /** False: there is no room for these bytes now. */
  take(sizeBytes: number): boolean {
    if (this.#heldBytes + sizeBytes > MAX_HELD_BYTES) return false
    this.#heldBytes += sizeBytes
    return true
  }

  giveBack(sizeBytes: number): void {
    this.#heldBytes -= sizeBytes
  }
}
