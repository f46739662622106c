import { after, type Instant } from '#history'
import { CONTACTS, type Customer, fieldOf, PLAIN_FIELDS } from './customer.ts'
import {
  customFieldRow,
  deviceRow,
  goneCustomerRow,
  identifierRow,
  mergeRow,
  subscriptionRow,
} from './customer-rows.ts'
import { nextInstant, recordCustomer } from './edit-customer.ts'
import { isSameScope, strictest } from './subscriptions.ts'
import type { Workspace } from './workspace.ts'

/**
 * Makes two customers one. The survivor keeps its contacts and fields and fills its empty ones from
 * the other; identifiers and devices move; subscriptions keep the stricter answer; messages and
 * operations stay where they are and are found through the merge.
 */
export function mergeInto(
  workspace: Workspace,
  survivor: Customer,
  absorbed: Customer,
  now: Instant,
): void {
  survivor.touchedAt = after(now, Math.max(survivor.touchedAt, absorbed.touchedAt)) - 1
  const contacts = { email: absorbed.email, mobilePhone: absorbed.mobilePhone }
  moveIdentifiers(workspace, survivor, absorbed)
  fillCustomFields(workspace, survivor, absorbed)
  mergeSubscriptions(workspace, survivor, absorbed)
  const at = nextInstant(survivor)
  workspace.absorb(absorbed, survivor, at)
  recordMerge(workspace, survivor, absorbed, at)
  moveDevices(workspace, survivor, absorbed, now)
  fillOwnFields(workspace, survivor, absorbed, contacts)
  recordCustomer(workspace, survivor)
  workspace.changed.add(survivor)
}

function moveIdentifiers(workspace: Workspace, survivor: Customer, absorbed: Customer): void {
  for (const identifier of [...absorbed.identifiers]) {
    workspace.dropIdentifier(absorbed, identifier)
    workspace.addIdentifier(survivor, identifier)
    workspace.history.push(identifierRow(identifier, survivor.id, nextInstant(survivor)))
  }
}

function fillCustomFields(workspace: Workspace, survivor: Customer, absorbed: Customer): void {
  for (const [name, value] of Object.entries(absorbed.customFields)) {
    const isPersonal = !workspace.openFields.has(name)
    const gone = { name, value: null, isPersonal, customerId: absorbed.id }
    workspace.history.push(customFieldRow({ ...gone, at: nextInstant(survivor) }))
    if (fieldOf(survivor, name) !== undefined) continue
    survivor.customFields = { ...survivor.customFields, [name]: value }
    const filled = { name, value, isPersonal, customerId: survivor.id }
    workspace.history.push(customFieldRow({ ...filled, at: nextInstant(survivor) }))
  }
}

function mergeSubscriptions(workspace: Workspace, survivor: Customer, absorbed: Customer): void {
  for (const record of absorbed.subscriptions) {
    workspace.history.push(subscriptionRow(record, absorbed.id, nextInstant(survivor), true))
  }
  const before = survivor.subscriptions
  survivor.subscriptions = strictest(before, absorbed.subscriptions)
  for (const record of survivor.subscriptions) {
    const held = before.find((other) => isSameScope(other, record))
    if (held?.isSubscribed === record.isSubscribed) continue
    workspace.history.push(subscriptionRow(record, survivor.id, nextInstant(survivor)))
  }
}

function recordMerge(
  workspace: Workspace,
  survivor: Customer,
  absorbed: Customer,
  at: Instant,
): void {
  workspace.history.push(mergeRow({ absorbedId: absorbed.id, survivorId: survivor.id }, at))
  workspace.history.push(goneCustomerRow(absorbed, nextInstant(survivor)))
  // Who was absorbed earlier in this batch points at the one alive; earlier batches are restated in SQL.
  for (const earlier of workspace.merges) {
    if (earlier.survivorId !== absorbed.id) continue
    earlier.survivorId = survivor.id
    earlier.at = nextInstant(survivor)
    workspace.history.push(mergeRow(earlier, earlier.at))
  }
}

function moveDevices(
  workspace: Workspace,
  survivor: Customer,
  absorbed: Customer,
  now: Instant,
): void {
  for (const device of workspace.devices()) {
    if (device.customerId !== absorbed.id) continue
    workspace.history.push(deviceRow(workspace.see(device.uuid, survivor.id, now)))
  }
}

function fillOwnFields(
  workspace: Workspace,
  survivor: Customer,
  absorbed: Customer,
  contacts: { email: string | null; mobilePhone: string | null },
): void {
  for (const contact of CONTACTS) {
    if (survivor[contact] === null) workspace.setContact(survivor, contact, contacts[contact])
  }
  for (const field of PLAIN_FIELDS) survivor[field] ??= absorbed[field]
}
