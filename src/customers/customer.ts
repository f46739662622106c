import type { Instant } from '#history'
import type { Channel } from '#projects'

/** A customer as the work sees it: whole, with everything that decides or changes with it. */
export interface Customer {
  id: string
  email: string | null
  mobilePhone: string | null
  lastName: string | null
  firstName: string | null
  birthDate: string | null
  passwordHash: string | null
  customFields: Record<string, FieldValue>
  subscriptions: Subscription[]
  identifiers: Identifier[]
  createdAt: Instant
  changedAt: Instant
  /** The latest instant used for anything of this customer. */
  touchedAt: Instant
}

/** A custom field's value in its canonical spelling; lists hold one per item. */
export type FieldValue = string | string[]

/** A field may well be named `constructor`, which every object seems to have. */
export function fieldOf(customer: Customer, name: string): FieldValue | undefined {
  return Object.hasOwn(customer.customFields, name) ? customer.customFields[name] : undefined
}

export interface Identifier {
  id: string
  kind: string
  value: string
  historicalCustomerId: string
  historicalCreatedAt: Instant
}

/** A customer's answer for a channel and topic; null means all of them. */
export interface Subscription {
  channel: Channel | null
  topic: string | null
  isSubscribed: boolean
}

export interface Device {
  uuid: string
  customerId: string
  firstSeenAt: Instant
  lastSeenAt: Instant
}

export const CONTACTS = ['email', 'mobilePhone'] as const
export type Contact = (typeof CONTACTS)[number]

export const PLAIN_FIELDS = ['lastName', 'firstName', 'birthDate', 'passwordHash'] as const
export type PlainField = (typeof PLAIN_FIELDS)[number]

/** The built-in identifier kind: strongest, given by the service, never sent as something new. */
export const CUSTOMER_ID = 'customerId'
