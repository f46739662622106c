import { isUtf8 } from 'node:buffer'
import type { Unreadable } from './node.ts'

const LF = 0x0a
const CR = 0x0d

export type DecodeOutcome =
  | { kind: 'decoded'; text: string }
  | { kind: 'unreadable'; problem: Unreadable }

/**
 * The text of strict UTF-8 without its byte order mark. A fatal TextDecoder takes as long, and would
 * have to be kept between calls and to throw.
 */
export function decodeUtf8(bytes: Buffer): DecodeOutcome {
  if (!isUtf8(bytes)) return { kind: 'unreadable', problem: brokenUtf8(bytes) }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return { kind: 'decoded', text: bytes.toString('utf8', hasMark ? 3 : 0) }
}

/** Where an offset into a text is for a person: lines and columns from 1, columns in characters. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  let line = 1
  let column = 1
  const end = Math.min(offset, text.length)
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === LF || (code === CR && text.charCodeAt(i + 1) !== LF)) {
      line++
      column = 1
    } else if (!isLowSurrogate(code)) {
      column++
    }
  }
  return { line, column }
}

/**
 * Decoding leniently and encoding again changes the first broken byte and none before it, so the
 * first difference is where the text breaks.
 */
function brokenUtf8(bytes: Buffer): Unreadable {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8')
  let offset = 0
  while (offset < bytes.length && bytes[offset] === again[offset]) offset++
  const before = bytes.toString('utf8', 0, offset)
  return { message: 'The body is not valid UTF-8.', ...positionAt(before, before.length) }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
