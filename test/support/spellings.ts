/** Those of the values that occur in the text in any spelling. */
export function foundIn(text: string, values: readonly string[]): string[] {
  const haystack = plain(text)
  return values.filter((value) =>
    spellingsOf(value).some((spelling) => haystack.includes(spelling)),
  )
}

/**
 * The ways a value may be written inside a larger text: as it is, escaped for JSON or for an address, in
 * hex, and in base64 at any of the three alignments.
 */
function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const escaped = value.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const spellings = [
    value,
    escaped,
    encodeURIComponent(value),
    bytes.toString('hex'),
    ...[0, 1, 2].map((offset) => base64At(bytes, offset)),
  ]
  return [...new Set(spellings.map(plain))]
}

/** The characters of base64 that only these bytes decide, when `offset` others come before them. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const isWhole = (offset + bytes.length) % 3 === 0
  return text.slice(Math.ceil((offset * 8) / 6), isWhole ? undefined : -1)
}

/** In one case, and without quotes and backslashes, of which each layer of quoting adds its own. */
function plain(text: string): string {
  return text.toLowerCase().replace(/["\\]/g, '')
}
