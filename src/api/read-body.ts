import type { IncomingMessage } from 'node:http'

export const MAX_BODY_BYTES = 1024 * 1024

export type SentBody =
  | { kind: 'bytes'; bytes: Buffer }
  | { kind: 'tooLarge' }
  /** Too many bodies are held already. */
  | { kind: 'noRoom' }

/**
 * Collects a body within the budget. Of one that is too large the rest is dropped as it comes, so that a
 * caller who is still writing reads the answer; the framework would close the connection under him.
 */
export function readBody(
  payload: IncomingMessage,
  hold: (sizeBytes: number) => boolean,
  next: (fault: Error | null, body?: SentBody) => void,
): void {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  let isOver = false
  const end = (fault: Error | null, body?: SentBody) => {
    if (isOver) return
    isOver = true
    next(fault, body)
  }
  payload.on('data', (chunk: Buffer) => {
    if (isOver) return
    sizeBytes += chunk.length
    if (sizeBytes > MAX_BODY_BYTES) end(null, { kind: 'tooLarge' })
    else if (!hold(chunk.length)) end(null, { kind: 'noRoom' })
    else chunks.push(chunk)
  })
  payload.on('end', () => end(null, { kind: 'bytes', bytes: Buffer.concat(chunks, sizeBytes) }))
  // The caller went away, which is no fault of ours.
  payload.on('error', (fault) => end(Object.assign(fault, { statusCode: 400 })))
}
