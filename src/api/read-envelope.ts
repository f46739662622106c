import type { CustomerRequest, Problem, TicketHolder } from '#customers'
import type { DocumentNode } from '#formats/document'
import { contactOf, type MessageRequest } from '#messages'
import type { Admission } from './admit.ts'
import type { EnvelopeReader } from './envelope-reader.ts'
import { readCustomer, type SentCustomer } from './read-customer.ts'
import { MAILING_ELEMENTS, readMailing } from './read-mailing.ts'

export interface Envelope {
  customer: CustomerRequest
  /** Still readable; it goes no further so. Null clears it. */
  password: string | null | undefined
  message: MessageRequest | null
}

const ELEMENTS = new Set(['customer', ...MAILING_ELEMENTS.keys()])

/** Reads a document against the project's definition. The reader has every problem found. */
export function readEnvelope(
  reader: EnvelopeReader,
  root: DocumentNode,
  call: { admission: Admission; ticket: TicketHolder | null; deviceUuid: string | null },
): Envelope | undefined {
  const { endpoint, operation } = call.admission
  const members = reader.members(root, '/', ELEMENTS)
  const customerNode = members.get('customer')
  members.delete('customer')
  const message = readMailing(reader, members, operation)
  if (customerNode === undefined) {
    reader.refuse('/customer', 'is required')
    return undefined
  }
  const sent = readCustomer(reader, customerNode, { project: endpoint.project, operation })
  if (!isNamed(sent, call) && !reader.problems.some(isAboutName)) {
    reader.refuse('/customer', 'send an id, an email, a mobilePhone, a deviceUUID or a ticket')
  }
  const { password, ...fields } = sent
  const { authentication, whenNotFound } = operation.definition
  // Known before the work, so that async callers hear it too and no stranger keeps the hasher busy.
  if (authentication === 'none' && password !== undefined) {
    reader.refuse('/customer/password', 'cannot be changed by an operation without authentication')
  }
  const customer: CustomerRequest = {
    ...fields,
    deviceUuid: call.deviceUuid,
    ticket: call.ticket,
    trust: authentication === 'none' ? 'none' : call.ticket === null ? 'secretKey' : 'ticket',
    whenNotFound,
    neededContact: message === null ? null : contactOf(message.channel),
  }
  return { customer, password, message }
}

/** Whoever sent a name that is wrong need not be told to send one. */
function isAboutName({ location }: Problem): boolean {
  return /^\/customer\/(ids|email|mobilePhone)/.test(location)
}

function isNamed(
  sent: SentCustomer,
  call: { ticket: TicketHolder | null; deviceUuid: string | null },
): boolean {
  const isByValue = sent.ids.length > 0 || sent.email != null || sent.mobilePhone != null
  return isByValue || call.deviceUuid !== null || call.ticket !== null
}
