import { decodeUtf8, positionAt } from './decode-utf8.ts'
import { type NotedFlaw, noteFlaw, outcomeOf } from './flaws.ts'
import { isSafeNumber, skipNumber } from './json-number.ts'
import { JsonRefusal, readString, type StringRead } from './json-string.ts'
import { MAX_DEPTH, MAX_NODES } from './limits.ts'
import type { DocumentNode, ReadOutcome } from './node.ts'

/**
 * Reads JSON (RFC 8259) into the tree that the same envelope in XML would give, its root named
 * `operation`. Not JSON.parse, because that drops repeated members, rounds numbers before anybody has
 * seen them, and knows no position of an error.
 */
export function readJson(bytes: Buffer): ReadOutcome {
  const decoded = decodeUtf8(bytes)
  if (decoded.kind === 'unreadable') return decoded
  const { text } = decoded
  const root = node('operation')
  const reading: Reading = { text, at: 0, trail: [root], nodeCount: 1, flaws: [] }
  try {
    readRoot(reading, root)
  } catch (fault) {
    if (!(fault instanceof JsonRefusal)) throw fault
    const problem = { message: fault.message, ...positionAt(text, fault.offset) }
    return { kind: 'unreadable', problem }
  }
  return outcomeOf(root, reading.flaws)
}

interface Reading {
  text: string
  /** Offset of the next character to read. */
  at: number
  /** From the root to the value being read. */
  trail: DocumentNode[]
  nodeCount: number
  flaws: NotedFlaw[]
}

function readRoot(reading: Reading, root: DocumentNode): void {
  if (peek(reading) !== OPEN_BRACE) throw refusal(reading, 'The root is not an object.')
  readObject(reading, root)
  if (!Number.isNaN(peek(reading))) throw refusal(reading, 'There is more after the root object.')
}

function readValue(reading: Reading, target: DocumentNode): void {
  switch (peek(reading)) {
    case QUOTE: {
      const { value, isForbidden } = readText(reading)
      target.text = value
      if (isForbidden) noteFlaw(reading.flaws, 'forbiddenCharacter', reading.trail)
      return
    }
    case OPEN_BRACE:
      readObject(reading, target)
      return
    case OPEN_BRACKET:
      target.isList = true
      readArray(reading, target)
      return
    case LETTER_T:
      target.text = readWord(reading, 'true')
      return
    case LETTER_F:
      target.text = readWord(reading, 'false')
      return
    case LETTER_N:
      readWord(reading, 'null')
      target.isCleared = true
      return
    default:
      target.text = readNumber(reading)
  }
}

function readObject(reading: Reading, target: DocumentNode): void {
  reading.at++
  if (peek(reading) === CLOSE_BRACE) {
    reading.at++
    return
  }
  for (;;) {
    if (peek(reading) !== QUOTE) throw refusal(reading, 'The name of a member is expected.')
    const child = enter(reading, target)
    // The name is set before its flaw is noted, for the path to show it.
    const name = readText(reading)
    child.name = name.value
    if (name.isForbidden) noteFlaw(reading.flaws, 'forbiddenCharacter', reading.trail)
    if (peek(reading) !== COLON) throw refusal(reading, 'A colon is expected.')
    reading.at++
    readValue(reading, child)
    reading.trail.pop()
    if (isLast(reading, CLOSE_BRACE, 'A comma or the end of the object is expected.')) return
  }
}

function readArray(reading: Reading, target: DocumentNode): void {
  reading.at++
  if (peek(reading) === CLOSE_BRACKET) {
    reading.at++
    return
  }
  for (;;) {
    readValue(reading, enter(reading, target))
    reading.trail.pop()
    if (isLast(reading, CLOSE_BRACKET, 'A comma or the end of the array is expected.')) return
  }
}

/** Steps over what follows a member or an item, which is a comma or the end of its container. */
function isLast(reading: Reading, end: number, complaint: string): boolean {
  const code = peek(reading)
  if (code !== COMMA && code !== end) throw refusal(reading, complaint)
  reading.at++
  return code === end
}

function enter(reading: Reading, parent: DocumentNode): DocumentNode {
  if (reading.trail.length >= MAX_DEPTH) {
    throw refusal(reading, `Values are nested deeper than ${MAX_DEPTH}.`)
  }
  if (++reading.nodeCount > MAX_NODES) {
    throw refusal(reading, `There are more than ${MAX_NODES} values.`)
  }
  const child = node('')
  parent.children.push(child)
  reading.trail.push(child)
  return child
}

function readText(reading: Reading): StringRead {
  const read = readString(reading.text, reading.at)
  reading.at = read.end
  return read
}

function readNumber(reading: Reading): string {
  const end = skipNumber(reading.text, reading.at)
  const spelling = reading.text.slice(reading.at, end)
  reading.at = end
  if (!isSafeNumber(spelling)) noteFlaw(reading.flaws, 'unsafeNumber', reading.trail)
  return spelling
}

function readWord(reading: Reading, word: string): string {
  if (!reading.text.startsWith(word, reading.at)) throw refusal(reading, 'A value is expected.')
  reading.at += word.length
  return word
}

/** The next character that is no white space, NaN at the end. */
function peek(reading: Reading): number {
  const { text } = reading
  for (;;) {
    const code = text.charCodeAt(reading.at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
    reading.at++
  }
}

function refusal({ text, at }: Reading, message: string): JsonRefusal {
  return new JsonRefusal(at < text.length ? message : 'The document ends too early.', at)
}

function node(name: string): DocumentNode {
  return { name, text: '', children: [], isCleared: false, isList: false }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const LETTER_F = 0x66
const LETTER_N = 0x6e
const LETTER_T = 0x74
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
