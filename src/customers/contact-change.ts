import type { Contact, Customer } from './customer.ts'
import { emailKey } from './email.ts'

/** Whether a sent contact (null clears it) is another one than the customer has. */
export function isContactChanged(
  customer: Customer,
  contact: Contact,
  sent: string | null | undefined,
): boolean {
  if (sent === undefined) return false
  const held = customer[contact]
  if (sent === null || held === null) return sent !== held
  return contact === 'email' ? emailKey(sent) !== emailKey(held) : sent !== held
}
