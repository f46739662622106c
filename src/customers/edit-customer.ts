import { isDeepStrictEqual } from 'node:util'
import { after, type Instant } from '#history'
import { isContactChanged } from './contact-change.ts'
import { CONTACTS, CUSTOMER_ID, type Customer, fieldOf, PLAIN_FIELDS } from './customer.ts'
import type { CustomerRequest } from './customer-request.ts'
import { customerRow, customFieldRow, identifierRow, subscriptionRow } from './customer-rows.ts'
import { subscribe } from './subscriptions.ts'
import type { Workspace } from './workspace.ts'

/**
 * Writes what a request says onto its customer and records every new state. Returns whether anything
 * changed. Each state gets an instant of its own, later than any before.
 */
export function editCustomer(
  workspace: Workspace,
  edit: { customer: Customer; request: CustomerRequest; now: Instant; isNew: boolean },
): boolean {
  const { customer, request } = edit
  const before = customer.touchedAt
  const start = after(edit.now, before) - 1
  customer.touchedAt = start
  const isOwnChange = editOwnFields(workspace, customer, request)
  if (isOwnChange || edit.isNew) recordCustomer(workspace, customer)
  editIdentifiers(workspace, customer, request)
  editCustomFields(workspace, customer, request)
  editSubscriptions(workspace, customer, request)
  const isChanged = customer.touchedAt > start
  if (isChanged) workspace.changed.add(customer)
  else customer.touchedAt = before
  return isChanged
}

/** The next state of anything of this customer is later than the last. */
export function nextInstant(customer: Customer): Instant {
  customer.touchedAt += 1
  return customer.touchedAt
}

function editOwnFields(
  workspace: Workspace,
  customer: Customer,
  request: CustomerRequest,
): boolean {
  let isChanged = false
  for (const contact of CONTACTS) {
    const sent = request[contact]
    if (sent === undefined || !isContactChanged(customer, contact, sent)) continue
    workspace.setContact(customer, contact, sent)
    isChanged = true
  }
  for (const field of PLAIN_FIELDS) {
    const sent = request[field]
    if (sent === undefined || sent === customer[field]) continue
    customer[field] = sent
    isChanged = true
  }
  return isChanged
}

export function recordCustomer(workspace: Workspace, customer: Customer): void {
  customer.changedAt = nextInstant(customer)
  workspace.history.push(customerRow(customer, customer.changedAt))
}

function editIdentifiers(workspace: Workspace, customer: Customer, request: CustomerRequest): void {
  for (const kind of request.clearedIds) {
    const held = customer.identifiers.find((identifier) => identifier.kind === kind)
    if (held === undefined) continue
    workspace.dropIdentifier(customer, held)
    workspace.history.push(identifierRow(held, customer.id, nextInstant(customer), true))
  }
  for (const { kind, value } of request.ids) {
    const isHeld = customer.identifiers.some((identifier) => identifier.kind === kind)
    if (kind === CUSTOMER_ID || isHeld) continue
    const identifier = {
      id: workspace.ids.take(),
      kind,
      value,
      historicalCustomerId: customer.id,
      historicalCreatedAt: customer.createdAt,
    }
    workspace.addIdentifier(customer, identifier)
    workspace.history.push(identifierRow(identifier, customer.id, nextInstant(customer)))
  }
}

function editCustomFields(
  workspace: Workspace,
  customer: Customer,
  request: CustomerRequest,
): void {
  for (const [name, value] of Object.entries(request.customFields)) {
    const held = fieldOf(customer, name) ?? null
    if (isDeepStrictEqual(held, value)) continue
    const { [name]: _, ...others } = customer.customFields
    customer.customFields = value === null ? others : { ...others, [name]: value }
    const isPersonal = !workspace.openFields.has(name)
    const at = nextInstant(customer)
    workspace.history.push(customFieldRow({ name, value, isPersonal, customerId: customer.id, at }))
  }
}

function editSubscriptions(
  workspace: Workspace,
  customer: Customer,
  request: CustomerRequest,
): void {
  for (const change of request.subscriptions) {
    const result = subscribe(customer.subscriptions, change)
    if (!result.isChanged) continue
    customer.subscriptions = result.subscriptions
    for (const removed of result.removed) {
      workspace.history.push(subscriptionRow(removed, customer.id, nextInstant(customer), true))
    }
    workspace.history.push(subscriptionRow(change, customer.id, nextInstant(customer)))
  }
}
