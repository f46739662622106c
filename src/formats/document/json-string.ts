/** Why a text is not JSON, and where. */
export class JsonRefusal extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

export interface StringRead {
  value: string
  /** Offset after the closing quote. */
  end: number
  /** It has U+0000 or half of a surrogate pair in it. */
  isForbidden: boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75

/** Reads the string whose opening quote is at `start` (RFC 8259, section 7). */
export function readString(text: string, start: number): StringRead {
  let value = ''
  let from = start + 1
  let at = from
  let isSuspect = false
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) break
    if (code === BACKSLASH) {
      value += text.slice(from, at) + escaped(text, at)
      at += text.charCodeAt(at + 1) === LETTER_U ? 6 : 2
      from = at
      isSuspect = true
    } else if (code >= 0x20) {
      at++
    } else if (code === 0) {
      // U+0000 is refused as a character, however it is written, not as a matter of notation.
      at++
      isSuspect = true
    } else {
      throw unfinished(text, at)
    }
  }
  value += text.slice(from, at)
  // Only an escape can make half of a pair, since the text came from valid UTF-8.
  const isForbidden = isSuspect && (value.includes('\0') || !value.isWellFormed())
  return { value, end: at + 1, isForbidden }
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  __proto__: null as never,
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** The character that the escape at `at` stands for. */
function escaped(text: string, at: number): string {
  if (text.charCodeAt(at + 1) !== LETTER_U) {
    const simple = SIMPLE_ESCAPES[text.charAt(at + 1)]
    if (simple === undefined) throw new JsonRefusal('There is no such escape in a string.', at)
    return simple
  }
  const digits = text.slice(at + 2, at + 6)
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) {
    throw new JsonRefusal('The escape \\u is not followed by four hexadecimal digits.', at)
  }
  return String.fromCharCode(Number.parseInt(digits, 16))
}

function unfinished(text: string, at: number): JsonRefusal {
  if (at >= text.length) return new JsonRefusal('The document ends inside a string.', at)
  return new JsonRefusal('A string has a control character that is not escaped.', at)
}
