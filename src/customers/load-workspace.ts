import type { RecordIds } from '#history'
import type { Sql } from '#platform/database'
import { CUSTOMER_ID } from './customer.ts'
import { type CustomerName, contactName, identifierName, nameText } from './customer-name.ts'
import type { CustomerRequest } from './customer-request.ts'
import { loadCustomers, loadDevices, loadSurvivors, type Names } from './customers-store.ts'
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
  const named = namedBy(batch.requests)
  const { projectId } = batch
  const hasIds = named.customerIds.length > 0
  const hasDevices = named.deviceUuids.length > 0
  const [customers, survivors, devices] = await Promise.all([
    loadCustomers(sql, projectId, named),
    hasIds ? loadSurvivors(sql, projectId, named.customerIds) : [],
    hasDevices ? loadDevices(sql, projectId, named.deviceUuids) : [],
  ])
  for (const customer of customers) workspace.addLoaded(customer)
  for (const { absorbedId, survivorId } of survivors) workspace.addSurvivor(absorbedId, survivorId)
  for (const device of devices) workspace.addDevice(device)
  return workspace
}

function namedBy(requests: CustomerRequest[]): Names {
  const names = new Map<string, CustomerName>()
  const customerIds = new Set<string>()
  const deviceUuids = new Set<string>()
  const add = (name: CustomerName) => names.set(nameText(name), name)
  const addIdentifier = (kind: string, value: string) => {
    if (kind !== CUSTOMER_ID) add(identifierName({ kind, value }))
    else if (isCustomerId(value)) customerIds.add(value)
  }
  for (const request of requests) {
    for (const { kind, value } of request.ids) addIdentifier(kind, value)
    if (request.email != null) add(contactName('email', request.email))
    if (request.mobilePhone != null) add(contactName('mobilePhone', request.mobilePhone))
    if (request.deviceUuid !== null) deviceUuids.add(request.deviceUuid)
    const { ticket } = request
    if (ticket?.kind === 'customer') addIdentifier(CUSTOMER_ID, ticket.customerId)
    if (ticket?.kind === 'identifier') addIdentifier(ticket.idKind, ticket.value)
    if (ticket?.kind === 'email') add(contactName('email', ticket.email))
    if (ticket?.kind === 'mobilePhone') add(contactName('mobilePhone', ticket.mobilePhone))
  }
  return {
    names: [...names.values()],
    customerIds: [...customerIds],
    deviceUuids: [...deviceUuids],
  }
}

/** The spelling the service itself uses; anything else names nobody. */
function isCustomerId(value: string): boolean {
  return /^[1-9]\d{0,18}$/.test(value) && BigInt(value) <= MAX_ID
}
