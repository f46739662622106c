import { after, type HistoryRow, type Instant, type RecordIds } from '#history'
import type { Contact, Customer, Device, Identifier } from './customer.ts'
import { emailKey } from './email.ts'

export interface Merge {
  absorbedId: string
  survivorId: string
  at: Instant
}

/**
 * The customers a batch of operations names, loaded together, changed in memory one operation after
 * another, and written together. It knows who owns each identifier and contact at every moment.
 */
export class Workspace {
  readonly ids: RecordIds
  /** Custom fields whose values are exported readable; all others count as personal. */
  readonly openFields: ReadonlySet<string>
  readonly history: HistoryRow[] = []
  readonly created = new Set<Customer>()
  readonly changed = new Set<Customer>()
  readonly absorbed = new Set<Customer>()
  readonly seenDevices = new Set<Device>()
  readonly merges: Merge[] = []
  /** Stored identifiers to delete, and identifiers to insert, by kind and value. */
  readonly droppedIdentifiers = new Map<string, Identifier>()
  readonly addedIdentifiers = new Map<string, { identifier: Identifier; customer: Customer }>()

  readonly #byId = new Map<string, Customer>()
  readonly #byIdentifier = new Map<string, Customer>()
  readonly #byContact = {
    email: new Map<string, Customer>(),
    mobilePhone: new Map<string, Customer>(),
  }
  readonly #devices = new Map<string, Device>()
  /** Absorbed customers and who they are now. */
  readonly #survivors = new Map<string, string>()

  constructor(ids: RecordIds, openFields: ReadonlySet<string>) {
    this.ids = ids
    this.openFields = openFields
  }

  // Loading.

  addLoaded(customer: Customer): void {
    this.#byId.set(customer.id, customer)
    for (const identifier of customer.identifiers) {
      this.#byIdentifier.set(identifierKey(identifier), customer)
    }
    this.#own('email', customer)
    this.#own('mobilePhone', customer)
  }

  addDevice(device: Device): void {
    this.#devices.set(device.uuid, device)
  }

  addSurvivor(absorbedId: string, survivorId: string): void {
    this.#survivors.set(absorbedId, survivorId)
  }

  // Finding.

  byId(id: string): Customer | undefined {
    let current = id
    for (let next = this.#survivors.get(current); next !== undefined; ) {
      current = next
      next = this.#survivors.get(current)
    }
    return this.#byId.get(current)
  }

  byIdentifier(identifier: { kind: string; value: string }): Customer | undefined {
    return this.#byIdentifier.get(identifierKey(identifier))
  }

  byContact(contact: Contact, value: string): Customer | undefined {
    return this.#byContact[contact].get(contactKey(contact, value))
  }

  device(uuid: string): Device | undefined {
    return this.#devices.get(uuid)
  }

  devices(): Iterable<Device> {
    return this.#devices.values()
  }

  // Changing. Callers have checked that the change is allowed.

  create(now: Instant): Customer {
    const customer: Customer = {
      id: this.ids.take(),
      email: null,
      mobilePhone: null,
      lastName: null,
      firstName: null,
      birthDate: null,
      passwordHash: null,
      customFields: {},
      subscriptions: [],
      identifiers: [],
      createdAt: now,
      changedAt: now,
      touchedAt: now - 1,
    }
    this.created.add(customer)
    this.#byId.set(customer.id, customer)
    return customer
  }

  setContact(customer: Customer, contact: Contact, value: string | null): void {
    const previous = customer[contact]
    const owners = this.#byContact[contact]
    if (previous !== null && owners.get(contactKey(contact, previous)) === customer) {
      owners.delete(contactKey(contact, previous))
    }
    customer[contact] = value
    this.#own(contact, customer)
  }

  addIdentifier(customer: Customer, identifier: Identifier): void {
    customer.identifiers.push(identifier)
    this.#byIdentifier.set(identifierKey(identifier), customer)
    this.addedIdentifiers.set(identifierKey(identifier), { identifier, customer })
  }

  dropIdentifier(customer: Customer, identifier: Identifier): void {
    const key = identifierKey(identifier)
    customer.identifiers = customer.identifiers.filter((other) => other !== identifier)
    this.#byIdentifier.delete(key)
    if (!this.addedIdentifiers.delete(key)) this.droppedIdentifiers.set(key, identifier)
  }

  /** The absorbed customer's contacts are free from now on, and its id names the survivor. */
  absorb(absorbed: Customer, survivor: Customer, at: Instant): void {
    this.setContact(absorbed, 'email', null)
    this.setContact(absorbed, 'mobilePhone', null)
    this.#byId.delete(absorbed.id)
    this.#survivors.set(absorbed.id, survivor.id)
    this.absorbed.add(absorbed)
    this.changed.delete(absorbed)
    this.merges.push({ absorbedId: absorbed.id, survivorId: survivor.id, at })
  }

  /** Remembers that the device was used by this customer. */
  see(uuid: string, customerId: string, now: Instant): Device {
    const known = this.#devices.get(uuid)
    const device = known ?? { uuid, customerId, firstSeenAt: now, lastSeenAt: now }
    device.customerId = customerId
    device.lastSeenAt = known === undefined ? now : after(now, known.lastSeenAt)
    this.#devices.set(uuid, device)
    this.seenDevices.add(device)
    return device
  }

  #own(contact: Contact, customer: Customer): void {
    const value = customer[contact]
    if (value !== null) this.#byContact[contact].set(contactKey(contact, value), customer)
  }
}

export function identifierKey(identifier: { kind: string; value: string }): string {
  return `${identifier.kind}\n${identifier.value}`
}

function contactKey(contact: Contact, value: string): string {
  return contact === 'email' ? emailKey(value) : value
}
