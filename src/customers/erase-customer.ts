import { after, type HistoryRow, type Instant } from '#history'
import type { Sql } from '#platform/database'
import type { Customer } from './customer.ts'
import { namesOf } from './customer-name.ts'
import {
  customFieldRow,
  deviceRow,
  goneCustomerRow,
  identifierRow,
  mergeRow,
  subscriptionRow,
} from './customer-rows.ts'
import { deleteCustomers, loadCustomer, loadSurvivors } from './customers-store.ts'
import { nextInstant } from './edit-customer.ts'
import { deleteDevicesOf, deleteMergesOf, loadDevicesOf, loadMergesOf } from './erase-store.ts'
import { deleteNames } from './names-store.ts'

export interface Erased {
  /** The customer and all it had absorbed: everything about these ids is to be cleared. */
  customerIds: string[]
  /** The last state of each of its records. */
  history: HistoryRow[]
}

/**
 * Deletes a customer and everything stored about it here. Messages, operations and history are their
 * own folders' matter; the caller clears them in the same transaction.
 */
export async function eraseCustomer(
  sql: Sql,
  target: { projectId: number; customerId: string; now: Instant },
): Promise<Erased | undefined> {
  const { projectId, customerId } = target
  const [survivor] = await loadSurvivors(sql, projectId, [customerId])
  const customer = await loadCustomer(sql, projectId, survivor?.survivorId ?? customerId)
  if (customer === undefined) return undefined
  const [devices, merges] = await Promise.all([
    loadDevicesOf(sql, projectId, customer.id),
    loadMergesOf(sql, projectId, customer.id),
  ])
  customer.touchedAt = after(target.now, customer.touchedAt) - 1
  const history = [
    ...lastStates(customer),
    ...devices.map((device) => {
      const lastSeenAt = after(target.now, device.lastSeenAt)
      return deviceRow({ ...device, lastSeenAt }, true)
    }),
    ...merges.map((merge) => mergeRow(merge, after(target.now, merge.at), true)),
  ]
  await Promise.all([
    deleteCustomers(sql, projectId, [customer.id]),
    deleteNames(sql, projectId, namesOf(customer)),
    deleteDevicesOf(sql, projectId, customer.id),
    deleteMergesOf(sql, projectId, customer.id),
  ])
  return { customerIds: [customer.id, ...merges.map((merge) => merge.absorbedId)], history }
}

function lastStates(customer: Customer): HistoryRow[] {
  const { id } = customer
  return [
    goneCustomerRow(customer, nextInstant(customer)),
    ...customer.identifiers.map((one) => identifierRow(one, id, nextInstant(customer), true)),
    ...customer.subscriptions.map((one) => subscriptionRow(one, id, nextInstant(customer), true)),
    ...Object.keys(customer.customFields).map((name) =>
      customFieldRow({
        name,
        value: null,
        isPersonal: true,
        customerId: id,
        at: nextInstant(customer),
      }),
    ),
  ]
}
