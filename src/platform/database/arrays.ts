/**
 * Arrays as PostgreSQL writes them. The driver can do this too, and does it with two regular expressions
 * for each element; a batch has thousands, most of which are numbers.
 */

/** For numbers, and for words of which we know that they hold nothing to escape. */
export function plainArray(values: readonly (string | number | null)[]): string {
  // A null element is joined as the empty text, which an array of numbers cannot hold unquoted.
  return `{${values.map((value) => value ?? 'null').join(',')}}`
}

export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(quote).join(',')}}`
}

/**
 * JSON documents, one per line: our writers put no line break into one. Read with
 * `string_to_array($n, E'\\n')`, which needs no escaping on either side.
 */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join('\n')
}

const TO_ESCAPE = /["\\]/

function quote(value: string | null): string {
  if (value === null) return 'null'
  return TO_ESCAPE.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`
}
