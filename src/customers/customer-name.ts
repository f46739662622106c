import { hash } from 'node:crypto'
import type { Contact, Customer } from './customer.ts'
import { emailKey } from './email.ts'

/** What a customer is found by, in the spelling that is compared. No two customers share one. */
export interface CustomerName {
  kind: string
  key: string
}

/** An entry of an index holds 2,700 bytes and a value may take 4,000, so a long one is found by digest. */
const MAX_KEY_BYTES = 1000

export function identifierName({ kind, value }: { kind: string; value: string }): CustomerName {
  const isLong = Buffer.byteLength(value) > MAX_KEY_BYTES
  // Values are trimmed, so none can be taken for a digest.
  return { kind, key: isLong ? ` ${hash('sha256', value)}` : value }
}

/** Kinds of identifiers are XML names, so none can be taken for a contact. */
export function contactName(contact: Contact, value: string): CustomerName {
  return { kind: `@${contact}`, key: contact === 'email' ? emailKey(value) : value }
}

export function namesOf(customer: Customer): CustomerName[] {
  const names = customer.identifiers.map(identifierName)
  if (customer.email !== null) names.push(contactName('email', customer.email))
  if (customer.mobilePhone !== null) names.push(contactName('mobilePhone', customer.mobilePhone))
  return names
}

/** For looking a name up in a map. */
export function nameText({ kind, key }: CustomerName): string {
  return `${kind}\n${key}`
}
