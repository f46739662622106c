import type { RecordIds } from '#history'
import type { Sql } from '#platform/database'
import { CUSTOMER_ID } from './customer.ts'
import type { CustomerRequest } from './customer-request.ts'
import { loadCustomers, loadDevices, loadSurvivors, type Names } from './customers-store.ts'
import { emailKey } from './email.ts'
import { Workspace } from './workspace.ts'

/** The largest id PostgreSQL can hold; a longer one names nobody. */
const MAX_ID = 2n ** 63n - 1n

/** Loads every customer the requests name. Its statements share one round trip. */
export async function loadWorkspace(
  sql: Sql,
  batch: {
    projectId: number
    requests: CustomerRequest[]
    ids: RecordIds
    openFields: ReadonlySet<string>
  },
): Promise<Workspace> {
  const workspace = new Workspace(batch.ids, batch.openFields)
  const names = namesOf(batch.requests)
  const { projectId } = batch
  const hasIds = names.customerIds.length > 0
  const hasDevices = names.deviceUuids.length > 0
  const [customers, survivors, devices] = await Promise.all([
    loadCustomers(sql, projectId, names),
    hasIds ? loadSurvivors(sql, projectId, names.customerIds) : [],
    hasDevices ? loadDevices(sql, projectId, names.deviceUuids) : [],
  ])
  for (const customer of customers) workspace.addLoaded(customer)
  for (const { absorbedId, survivorId } of survivors) workspace.addSurvivor(absorbedId, survivorId)
  for (const device of devices) workspace.addDevice(device)
  return workspace
}

function namesOf(requests: CustomerRequest[]): Names {
  const identifiers = new Map<string, { kind: string; value: string }>()
  const emailKeys = new Set<string>()
  const mobilePhones = new Set<string>()
  const customerIds = new Set<string>()
  const deviceUuids = new Set<string>()
  const addIdentifier = (kind: string, value: string) => {
    if (kind !== CUSTOMER_ID) identifiers.set(`${kind}\n${value}`, { kind, value })
    else if (isCustomerId(value)) customerIds.add(value)
  }
  for (const request of requests) {
    for (const { kind, value } of request.ids) addIdentifier(kind, value)
    if (request.email != null) emailKeys.add(emailKey(request.email))
    if (request.mobilePhone != null) mobilePhones.add(request.mobilePhone)
    if (request.deviceUuid !== null) deviceUuids.add(request.deviceUuid)
    const { ticket } = request
    if (ticket?.kind === 'customer') addIdentifier(CUSTOMER_ID, ticket.customerId)
    if (ticket?.kind === 'identifier') addIdentifier(ticket.idKind, ticket.value)
    if (ticket?.kind === 'email') emailKeys.add(emailKey(ticket.email))
    if (ticket?.kind === 'mobilePhone') mobilePhones.add(ticket.mobilePhone)
  }
  return {
    kinds: [...identifiers.values()].map((identifier) => identifier.kind),
    values: [...identifiers.values()].map((identifier) => identifier.value),
    emailKeys: [...emailKeys],
    mobilePhones: [...mobilePhones],
    customerIds: [...customerIds],
    deviceUuids: [...deviceUuids],
  }
}

/** The spelling the service itself uses; anything else names nobody. */
function isCustomerId(value: string): boolean {
  return /^[1-9]\d{0,18}$/.test(value) && BigInt(value) <= MAX_ID
}
