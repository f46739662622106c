import { after, type HistoryRow, type Instant, type RecordIds } from '#history'
import type { Contact, Customer, Device, Identifier } from './customer.ts'
import {
  type CustomerName,
  contactName,
  identifierName,
  namesOf,
  nameText,
} from './customer-name.ts'

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
  /** Stored names to delete, and names to insert. */
  readonly freedNames = new Map<string, CustomerName>()
  readonly givenNames = new Map<string, { name: CustomerName; customer: Customer }>()

  readonly #byId = new Map<string, Customer>()
  readonly #byName = new Map<string, Customer>()
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
    for (const name of namesOf(customer)) this.#byName.set(nameText(name), customer)
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
    return this.#byName.get(nameText(identifierName(identifier)))
  }

  byContact(contact: Contact, value: string): Customer | undefined {
    return this.#byName.get(nameText(contactName(contact, value)))
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
    if (previous !== null) this.#free(contactName(contact, previous))
    customer[contact] = value
    if (value !== null) this.#give(contactName(contact, value), customer)
  }

  addIdentifier(customer: Customer, identifier: Identifier): void {
    customer.identifiers = [...customer.identifiers, identifier]
    this.#give(identifierName(identifier), customer)
  }

  dropIdentifier(customer: Customer, identifier: Identifier): void {
    customer.identifiers = customer.identifiers.filter((other) => other !== identifier)
    this.#free(identifierName(identifier))
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

  #give(name: CustomerName, customer: Customer): void {
    const text = nameText(name)
    this.#byName.set(text, customer)
    this.givenNames.set(text, { name, customer })
  }

  #free(name: CustomerName): void {
    const text = nameText(name)
    this.#byName.delete(text)
    if (!this.givenNames.delete(text)) this.freedNames.set(text, name)
  }
}
