import { CONTACTS, CUSTOMER_ID, type Customer } from './customer.ts'
import type { CustomerRequest, Problem, TicketHolder } from './customer-request.ts'
import type { Workspace } from './workspace.ts'

/** A customer that the request names, and the strongest value that named it. */
export interface Match {
  customer: Customer
  location: string
}

export type Matching =
  /** Strongest first, each customer once. */
  { kind: 'matched'; matches: Match[] } | { kind: 'refused'; problems: Problem[] }

/** Finds whom a request is about. */
export function match(workspace: Workspace, request: CustomerRequest): Matching {
  if (request.ticket !== null) return matchTicket(workspace, request, request.ticket)
  const matches = matchSentValues(workspace, request)
  if (request.ids[0]?.kind === CUSTOMER_ID && !isNamedByCustomerId(matches)) {
    return unknownCustomerId(request, matches)
  }
  if (matches.length > 1 && request.trust !== 'secretKey') {
    return refused(
      matches.slice(1),
      'belongs to another customer; only a call with a secret key merges',
    )
  }
  const device = matches.length === 0 ? anonymousOwner(workspace, request) : undefined
  if (device !== undefined)
    return { kind: 'matched', matches: [{ customer: device, location: '' }] }
  return { kind: 'matched', matches }
}

/** A ticket names its customer: values of anybody else are refused. */
function matchTicket(
  workspace: Workspace,
  request: CustomerRequest,
  ticket: TicketHolder,
): Matching {
  const customer = holderOf(workspace, ticket)
  const location = '/customer/authenticationTicket'
  if (customer === undefined) {
    return { kind: 'refused', problems: [{ location, message: 'the ticket names no customer' }] }
  }
  const others = matchSentValues(workspace, request).filter((other) => other.customer !== customer)
  if (others.length > 0) return refused(others, 'belongs to another customer than the ticket names')
  if (request.ids[0]?.kind === CUSTOMER_ID && workspace.byId(request.ids[0].value) === undefined) {
    return unknownCustomerId(request, [])
  }
  return { kind: 'matched', matches: [{ customer, location }] }
}

function holderOf(workspace: Workspace, ticket: TicketHolder): Customer | undefined {
  switch (ticket.kind) {
    case 'customer':
      return workspace.byId(ticket.customerId)
    case 'identifier':
      return workspace.byIdentifier({ kind: ticket.idKind, value: ticket.value })
    case 'email':
      return workspace.byContact('email', ticket.email)
    case 'mobilePhone':
      return workspace.byContact('mobilePhone', ticket.mobilePhone)
  }
}

function matchSentValues(workspace: Workspace, request: CustomerRequest): Match[] {
  const matches: Match[] = []
  const add = (customer: Customer | undefined, location: string) => {
    if (customer === undefined || matches.some((other) => other.customer === customer)) return
    matches.push({ customer, location })
  }
  for (const sent of request.ids) {
    const isOurs = sent.kind === CUSTOMER_ID
    const customer = isOurs ? workspace.byId(sent.value) : workspace.byIdentifier(sent)
    add(customer, idLocation(sent.kind))
  }
  for (const contact of CONTACTS) {
    const value = request[contact]
    if (value != null) add(workspace.byContact(contact, value), `/customer/${contact}`)
  }
  return matches
}

/** A device matches only when nothing else was sent, and only somebody of whom nothing else is known. */
function anonymousOwner(workspace: Workspace, request: CustomerRequest): Customer | undefined {
  const isNamed = request.ids.length > 0 || request.email != null || request.mobilePhone != null
  if (isNamed || request.deviceUuid === null) return undefined
  const device = workspace.device(request.deviceUuid)
  const owner = device === undefined ? undefined : workspace.byId(device.customerId)
  if (owner === undefined || owner.identifiers.length > 0) return undefined
  return owner.email === null && owner.mobilePhone === null ? owner : undefined
}

function isNamedByCustomerId(matches: Match[]): boolean {
  return matches[0]?.location === idLocation(CUSTOMER_ID)
}

function unknownCustomerId(request: CustomerRequest, matches: Match[]): Matching {
  if (request.whenNotFound === 'ignore' && matches.length === 0 && request.ticket === null) {
    return { kind: 'matched', matches: [] }
  }
  const message = 'no customer has this customerId; the service gives them, they cannot be chosen'
  return { kind: 'refused', problems: [{ location: idLocation(CUSTOMER_ID), message }] }
}

function refused(matches: Match[], message: string): Matching {
  return { kind: 'refused', problems: matches.map(({ location }) => ({ location, message })) }
}

export function idLocation(kind: string): string {
  return `/customer/ids/${kind}`
}
