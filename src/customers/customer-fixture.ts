import { type HistoryRow, type Instant, RecordIds } from '#history'
import type { Customer, Device, Identifier } from './customer.ts'
import type { CustomerRequest } from './customer-request.ts'
import { Workspace } from './workspace.ts'

/** The 15th of November 2026, about noon. */
export const NOW: Instant = Date.UTC(2026, 10, 15, 12) * 1000
/** When the cast was made. */
export const BEFORE: Instant = NOW - 1_000_000

/** Somebody with nothing but a number, except for what is said. */
export function aCustomer(changes: Partial<Customer> = {}): Customer {
  return {
    id: '1',
    email: null,
    mobilePhone: null,
    lastName: null,
    firstName: null,
    birthDate: null,
    passwordHash: null,
    customFields: {},
    subscriptions: [],
    identifiers: [],
    createdAt: BEFORE,
    changedAt: BEFORE,
    touchedAt: BEFORE,
    ...changes,
  }
}

/** Anna, whom the web site knows as user 100. */
export function anna(changes: Partial<Customer> = {}): Customer {
  const identifiers = [anIdentifier('webSiteUserId', '100', '1')]
  return aCustomer({ id: '1', email: 'anna@example.com', identifiers, ...changes })
}

/** Boris, whom only the CRM knows. */
export function boris(changes: Partial<Customer> = {}): Customer {
  const identifiers = [anIdentifier('crmId', 'B-7', '2')]
  return aCustomer({ id: '2', mobilePhone: '79160000002', identifiers, ...changes })
}

export function anIdentifier(kind: string, value: string, customerId: string): Identifier {
  return {
    id: `${customerId}${kind.length}`,
    kind,
    value,
    historicalCustomerId: customerId,
    historicalCreatedAt: BEFORE,
  }
}

/** A call with a secret key that says nothing, except for what is said. */
export function aRequest(changes: Partial<CustomerRequest> = {}): CustomerRequest {
  return {
    ids: [],
    clearedIds: [],
    subscriptions: [],
    customFields: {},
    deviceUuid: null,
    ticket: null,
    trust: 'secretKey',
    whenNotFound: 'create',
    neededContact: null,
    ...changes,
  }
}

export const siteUser = (value: string) => ({ kind: 'webSiteUserId', value })
export const inCrm = (value: string) => ({ kind: 'crmId', value })
export const ours = (value: string) => ({ kind: 'customerId', value })

export const DEVICE = '5ad03466-a2d3-4b3e-9ebc-0ef3a8cd2a4b'

export function aDevice(customerId: string): Device {
  return { uuid: DEVICE, customerId, firstSeenAt: BEFORE, lastSeenAt: BEFORE }
}

/** A workspace that has loaded these; new records are numbered from 1001. */
export function aWorkspace(customers: Customer[], devices: Device[] = []): Workspace {
  const workspace = new Workspace(new CountedIds(), new Set(['size', 'interests']))
  for (const customer of customers) workspace.addLoaded(customer)
  for (const device of devices) workspace.addDevice(device)
  return workspace
}

class CountedIds extends RecordIds {
  #last = 1000

  override take(): string {
    this.#last += 1
    return String(this.#last)
  }
}

/** The states written to a table, without when. */
export function statesOf(workspace: Workspace, table: string): object[] {
  return rowsOf(workspace, table).map((row) => row.state)
}

export function rowsOf(workspace: Workspace, table: string): HistoryRow[] {
  return workspace.history.filter((row) => row.table === table)
}
