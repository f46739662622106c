import type { WhenNotFound } from '#projects'
import type { Contact, FieldValue, PlainField, Subscription } from './customer.ts'

/**
 * What an operation says about a customer, checked and in canonical spelling. It goes through JSON on
 * its way through the inbox: a missing member leaves the field alone, null clears it.
 */
export interface CustomerRequest extends Partial<Record<Contact | PlainField, string | null>> {
  /** Sent identifiers, strongest first. */
  ids: SentIdentifier[]
  clearedIds: string[]
  subscriptions: Subscription[]
  customFields: Record<string, FieldValue | null>
  deviceUuid: string | null
  /** The customer a verified ticket names: the request can reach nobody else. */
  ticket: TicketHolder | null
  /** Who vouches for the request, which decides how far it may go. */
  trust: 'secretKey' | 'ticket' | 'none'
  whenNotFound: WhenNotFound
  /** The contact the customer must end up with. */
  neededContact: Contact | null
}

export interface SentIdentifier {
  kind: string
  value: string
}

export type TicketHolder =
  | { kind: 'identifier'; idKind: string; value: string }
  | { kind: 'email'; email: string }
  | { kind: 'mobilePhone'; mobilePhone: string }
  | { kind: 'customer'; customerId: string }

/** Something wrong with a request, and where in the document the caller sent it. */
export interface Problem {
  location: string
  message: string
}
