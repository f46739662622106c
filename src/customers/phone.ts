import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js'

const MAX_PHONE_DIGITS = 19

/** What people write between digits. */
const SEPARATORS = /[\s()./-]/g

/**
 * The number as digits with country code, or null. Digits are tried as an international number first,
 * then as a national one of the project's country, unless a plus says which they are.
 */
export function parsePhone(text: string, defaultCountry: string): string | null {
  const hasPlus = text.trim().startsWith('+')
  const digits = text.trim().replace(/^\+/, '').replace(SEPARATORS, '')
  if (!/^\d+$/.test(digits) || digits.length > MAX_PHONE_DIGITS) return null
  const international = parsePhoneNumberFromString(`+${digits}`)
  if (international?.isValid()) return international.number.slice(1)
  if (hasPlus) return null
  const national = parsePhoneNumberFromString(digits, defaultCountry as CountryCode)
  return national?.isValid() ? national.number.slice(1) : null
}
