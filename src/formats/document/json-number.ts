import { JsonRefusal } from './json-string.ts'

/** Offset after the number that begins at `start` (RFC 8259, section 6). */
export function skipNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === MINUS ? start + 1 : start
  if (text.charCodeAt(at) === ZERO) at++
  else at = skipDigits(text, at, 'A value is expected.')
  if (text.charCodeAt(at) === POINT) at = skipDigits(text, at + 1, MALFORMED)
  const code = text.charCodeAt(at)
  if (code === SMALL_E || code === LARGE_E) at = skipDigits(text, skipSign(text, at + 1), MALFORMED)
  return at
}

/**
 * Whether a sender whose own JSON library holds numbers as doubles can have meant this number. It has
 * to come back from a double unchanged, and whole numbers end where doubles begin to skip some.
 */
export function isSafeNumber(spelling: string): boolean {
  // A double keeps any 15 digits (IEEE 754), so the usual number needs no arithmetic.
  if (spelling.length <= 15 && !/[eE]/.test(spelling)) return true
  const value = Number(spelling)
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && plain(String(value)) === plain(spelling)
}

/** One spelling for each decimal number: its digits without outer zeros, and the power of the last. */
function plain(spelling: string): string {
  const [mantissa = '', exponent = '0'] = spelling.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = withoutLastZeros(digits)
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${significant}e${power}`
}

/** Not a regular expression: on a long run of zeros before another digit those take quadratic time. */
function withoutLastZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--
  return digits.slice(0, end)
}

function skipDigits(text: string, start: number, complaint: string): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  if (at > start) return at
  throw new JsonRefusal(at < text.length ? complaint : 'The document ends too early.', at)
}

function skipSign(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code === PLUS || code === MINUS ? at + 1 : at
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

const MALFORMED = 'A number is malformed.'
const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LARGE_E = 0x45
const SMALL_E = 0x65
