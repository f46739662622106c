/** RFC 5321 allows a path of 256 characters with its angle brackets. */
const MAX_EMAIL_LENGTH = 254

const MAX_LOCAL_PART_LENGTH = 64
const LOCAL_PART = /^[^\s@<>()[\]\\,;:"\p{C}]+$/u
const DOMAIN =
  /^(?=.{1,253}$)([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u

/** The address in canonical spelling, or null if mail could not be sent to it. */
export function parseEmail(text: string): string | null {
  const sent = text.trim()
  // Before it is normalised, which takes the square of the length for a crowd of combining marks.
  if (sent.length > 4 * MAX_EMAIL_LENGTH) return null
  const email = sent.normalize('NFC')
  if (email.length > MAX_EMAIL_LENGTH) return null
  const at = email.lastIndexOf('@')
  const local = email.slice(0, Math.max(at, 0))
  if (local.length > MAX_LOCAL_PART_LENGTH || !LOCAL_PART.test(local)) return null
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null
  return DOMAIN.test(email.slice(at + 1)) ? email : null
}

/** Two addresses with the same key are the same address. */
export function emailKey(email: string): string {
  return email.toLowerCase()
}
