import type { CustomField, ScalarFieldType } from '#projects'
import type { FieldValue } from './customer.ts'

export const MAX_STRING_LENGTH = 1000
export const MAX_NAME_LENGTH = 100
/** Enough for any list a person fills in; keeps a customer's row small. */
export const MAX_LIST_ITEMS = 100

const MAX_DECIMAL_DIGITS = 38

/** The canonical spelling of a value of this type, or a reason why the text is not one. */
export type ParsedValue = { kind: 'value'; value: string } | { kind: 'wrong'; expected: string }

/** The value of a custom field that is not a list. */
export function parseFieldValue(text: string, field: CustomField): ParsedValue {
  if (field.type === 'enum') {
    const value = text.trim()
    return field.values.includes(value)
      ? { kind: 'value', value }
      : { kind: 'wrong', expected: `one of ${field.values.join(', ')}` }
  }
  return parseScalar(text, field.type)
}

export function parseScalar(text: string, type: Exclude<ScalarFieldType, 'enum'>): ParsedValue {
  const value = canonicalOf(text, type)
  return value === null ? { kind: 'wrong', expected: EXPECTED[type] } : { kind: 'value', value }
}

const EXPECTED = {
  string: `a text of at most ${MAX_STRING_LENGTH} characters`,
  integer: 'a whole number between -9223372036854775808 and 9223372036854775807',
  decimal: 'a number such as 1234.5',
  boolean: 'true or false',
  date: 'a date such as 2026-03-31',
  dateTime: 'an instant such as 2026-03-31T09:30:00Z',
} as const

function canonicalOf(text: string, type: Exclude<ScalarFieldType, 'enum'>): string | null {
  switch (type) {
    case 'string':
      return lengthOf(text) <= MAX_STRING_LENGTH ? text : null
    case 'integer':
      return parseInteger(text.trim())
    case 'decimal':
      return parseDecimal(text.trim())
    case 'boolean':
      return parseBoolean(text.trim())
    case 'date':
      return parseDate(text.trim())
    case 'dateTime':
      return parseDateTime(text.trim())
  }
}

/** Characters as people count them: an emoji outside the basic plane is one. */
export function lengthOf(text: string): number {
  if (text.length <= MAX_NAME_LENGTH) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

function parseInteger(text: string): string | null {
  if (!/^[+-]?\d{1,40}$/.test(text)) return null
  const value = BigInt(text.replace('+', ''))
  return value === BigInt.asIntN(64, value) ? String(value) : null
}

function parseDecimal(text: string): string | null {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '', fraction = ''] = match
  if (whole === '' && fraction === '') return null
  if (whole.length + fraction.length > MAX_DECIMAL_DIGITS) return null
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  const tail = fraction.replace(/0+$/, '')
  const value = tail === '' ? digits : `${digits}.${tail}`
  return sign === '-' && value !== '0' ? `-${value}` : value
}

export function parseBoolean(text: string): string | null {
  const value = text.toLowerCase()
  return value === 'true' || value === 'false' ? value : null
}

/** A day that exists, years 1 to 9999. */
export function parseDate(text: string): string | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null || match[1] === '0000') return null
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : null
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/

/** An instant in UTC with its fraction to the microsecond; without a zone it is read as UTC. */
function parseDateTime(text: string): string | null {
  const match = DATE_TIME.exec(text)
  if (match === null) return null
  const [, day = '', time = '', seconds = '00', fraction = '', zone = 'Z'] = match
  if (parseDate(day) === null) return null
  const offset = zone === 'Z' ? 'Z' : zone.replace(/^(.\d{2}):?(\d{2})$/, '$1:$2')
  const date = new Date(`${day}T${time}:${seconds}${offset}`)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1) return null
  if (date.getUTCFullYear() > 9999) return null
  const digits = fraction.slice(1, 7).replace(/0+$/, '')
  return `${date.toISOString().slice(0, 19)}${digits === '' ? '' : `.${digits}`}Z`
}

/** As one text, for the export: a list is a JSON array. */
export function fieldText(value: FieldValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
