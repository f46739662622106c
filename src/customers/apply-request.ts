import type { Instant } from '#history'
import { isContactChanged } from './contact-change.ts'
import { CONTACTS, CUSTOMER_ID, type Customer } from './customer.ts'
import type { CustomerRequest, Problem } from './customer-request.ts'
import { deviceRow } from './customer-rows.ts'
import { editCustomer } from './edit-customer.ts'
import { idLocation, type Match, match } from './match.ts'
import { mergeInto } from './merge-customers.ts'
import type { Workspace } from './workspace.ts'

export type Processing = 'Created' | 'Changed' | 'NotChanged' | 'Merged'

export type RequestOutcome =
  | { kind: 'applied'; customer: Customer; processing: Processing }
  | { kind: 'notFound' }
  /** Nothing was changed. */
  | { kind: 'refused'; problems: Problem[] }

/**
 * Does what a request says: finds its customer, merges those who turn out to be one, or makes a new
 * one, and edits it. Everything is checked before anything is changed.
 */
export function applyRequest(
  workspace: Workspace,
  request: CustomerRequest,
  now: Instant,
): RequestOutcome {
  const matching = match(workspace, request)
  if (matching.kind === 'refused') return matching
  const [strongest, ...weaker] = matching.matches
  if (strongest === undefined && request.whenNotFound !== 'create') return notFound(request)

  const problems = [
    ...mergeConflicts(matching.matches),
    ...identifierConflicts(matching.matches, request),
    ...overreach(strongest?.customer, request),
    ...missingContact(matching.matches, request),
  ]
  if (problems.length > 0) return { kind: 'refused', problems }

  const customer = strongest?.customer ?? workspace.create(now)
  for (const other of weaker) mergeInto(workspace, customer, other.customer, now)
  const isNew = strongest === undefined
  const isEdited = editCustomer(workspace, { customer, request, now, isNew })
  if (request.deviceUuid !== null) {
    workspace.history.push(deviceRow(workspace.see(request.deviceUuid, customer.id, now)))
  }
  return { kind: 'applied', customer, processing: processingOf(matching.matches, isEdited) }
}

function processingOf(matches: Match[], isEdited: boolean): Processing {
  if (matches.length === 0) return 'Created'
  if (matches.length > 1) return 'Merged'
  return isEdited ? 'Changed' : 'NotChanged'
}

function notFound(request: CustomerRequest): RequestOutcome {
  if (request.whenNotFound === 'ignore') return { kind: 'notFound' }
  const problem = {
    location: '/customer',
    message: 'no such customer, and this operation makes none',
  }
  return { kind: 'refused', problems: [problem] }
}

/** Customers who hold different values of one identifier kind are different people. */
function mergeConflicts(matches: Match[]): Problem[] {
  const problems: Problem[] = []
  const held = new Map<string, string>()
  for (const { customer, location } of matches) {
    const kinds = customer.identifiers
      .filter((identifier) => (held.get(identifier.kind) ?? identifier.value) !== identifier.value)
      .map((identifier) => identifier.kind)
    if (kinds.length > 0) {
      const message = `belongs to a customer with another ${kinds.join(' and ')}, so the two cannot be merged`
      problems.push({ location, message })
    }
    for (const identifier of customer.identifiers) {
      if (!held.has(identifier.kind)) held.set(identifier.kind, identifier.value)
    }
  }
  return problems
}

/** Identifiers are added or cleared, never overwritten. One that somebody holds is a merge's matter. */
function identifierConflicts(matches: Match[], request: CustomerRequest): Problem[] {
  const held = matches.flatMap(({ customer }) => customer.identifiers)
  return request.ids
    .filter((sent) => sent.kind !== CUSTOMER_ID)
    .filter((sent) => {
      const ofKind = held.filter((identifier) => identifier.kind === sent.kind)
      return ofKind.length > 0 && ofKind.every((identifier) => identifier.value !== sent.value)
    })
    .map((sent) => ({
      location: idLocation(sent.kind),
      message: `the customer already has another ${sent.kind}; clear it first to give a new one`,
    }))
}

/** A call that nobody vouches for may make a customer, and may not change who one is. */
function overreach(customer: Customer | undefined, request: CustomerRequest): Problem[] {
  if (request.trust !== 'none') return []
  const message = 'cannot be changed by an operation without authentication'
  const locations: string[] = []
  if (request.passwordHash !== undefined) locations.push('/customer/password')
  if (customer !== undefined) {
    for (const contact of CONTACTS) {
      if (isContactChanged(customer, contact, request[contact]))
        locations.push(`/customer/${contact}`)
    }
    for (const sent of request.ids) {
      const isHeld = customer.identifiers.some((held) => held.kind === sent.kind)
      if (sent.kind !== CUSTOMER_ID && !isHeld) locations.push(idLocation(sent.kind))
    }
    for (const kind of request.clearedIds) locations.push(idLocation(kind))
  }
  return locations.map((location) => ({ location, message }))
}

function missingContact(matches: Match[], request: CustomerRequest): Problem[] {
  const contact = request.neededContact
  if (contact === null) return []
  const sent = request[contact]
  const final =
    sent === undefined ? matches.find((m) => m.customer[contact])?.customer[contact] : sent
  if (final != null) return []
  const name = contact === 'email' ? 'an email address' : 'a mobile phone'
  const message = `the customer needs ${name} for this message and has none`
  return [{ location: `/customer/${contact}`, message }]
}
