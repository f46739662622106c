import {
  type Contact,
  CUSTOMER_ID,
  lengthOf,
  MAX_NAME_LENGTH,
  MAX_STRING_LENGTH,
  parseDate,
  parseEmail,
  parsePhone,
  type SentIdentifier,
  type Subscription,
} from '#customers'
import type { DocumentNode } from '#formats/document'
import type { Operation, Project } from '#projects'
import { type EnvelopeReader, NOT_ALLOWED } from './envelope-reader.ts'
import { readCustomFields, type SentFields } from './read-custom-fields.ts'
import { readSubscriptions } from './read-subscriptions.ts'

/** What a document says about a customer. The password is still readable: it goes no further so. */
export interface SentCustomer extends Partial<Record<Contact | NameField | 'birthDate', Sent>> {
  ids: SentIdentifier[]
  clearedIds: string[]
  password?: Sent
  subscriptions: Subscription[]
  customFields: SentFields
}

type Sent = string | null
type NameField = 'lastName' | 'firstName'

const ELEMENTS = new Set([
  'authenticationTicket',
  'ids',
  'email',
  'mobilePhone',
  'lastName',
  'firstName',
  'birthDate',
  'password',
  'subscriptions',
  'customFields',
])

const TRIGGER_ELEMENTS = new Set(['ids', 'email', 'mobilePhone'])

export function readCustomer(
  reader: EnvelopeReader,
  node: DocumentNode,
  { project, operation }: { project: Project; operation: Operation },
): SentCustomer {
  const customer: SentCustomer = { ids: [], clearedIds: [], subscriptions: [], customFields: {} }
  const { kind, fields, authentication } = operation.definition
  const allows = (field: string, container?: string) =>
    fields === null || fields.includes(field) || (container ? fields.includes(container) : false)
  for (const [name, child] of reader.members(node, '/customer', ELEMENTS)) {
    const location = `/customer/${name}`
    if (kind === 'triggerMessage' && !TRIGGER_ELEMENTS.has(name)) {
      reader.refuse(location, 'cannot be sent with a message; use an operation that edits')
      continue
    }
    switch (name) {
      case 'authenticationTicket':
        // Checked before, and looked at here for what does not belong into it.
        reader.value(child, location)
        break
      case 'ids':
        readIds(reader, child, { project, allows, isOpen: authentication === 'none', customer })
        break
      case 'customFields':
        customer.customFields = readCustomFields(reader, child, { project, allows })
        break
      case 'subscriptions':
        if (!allows(name)) reader.refuse(location, NOT_ALLOWED)
        else customer.subscriptions = readSubscriptions(reader, child, project)
        break
      default:
        if (!allows(name)) reader.refuse(location, NOT_ALLOWED)
        else readField(reader, child, { name: name as PlainName, project, customer })
    }
  }
  return customer
}

type PlainName = Contact | NameField | 'birthDate' | 'password'

function readField(
  reader: EnvelopeReader,
  node: DocumentNode,
  { name, project, customer }: { name: PlainName; project: Project; customer: SentCustomer },
): void {
  const location = `/customer/${name}`
  const sent = reader.value(node, location)
  if (sent === undefined) return
  const value = sent === null ? null : canonical(sent, name, project)
  if (value === undefined) reader.refuse(location, EXPECTED[name])
  else customer[name] = value
}

const EXPECTED: Record<PlainName, string> = {
  email: 'is not an email address',
  mobilePhone: 'is not a phone number; send digits with the country code',
  lastName: `is longer than ${MAX_NAME_LENGTH} characters`,
  firstName: `is longer than ${MAX_NAME_LENGTH} characters`,
  birthDate: 'must be a date such as 1990-12-31',
  password: `is longer than ${MAX_STRING_LENGTH} characters`,
}

function canonical(text: string, name: PlainName, project: Project): string | undefined {
  switch (name) {
    case 'email':
      return parseEmail(text) ?? undefined
    case 'mobilePhone':
      return parsePhone(text, project.definition.defaultCountry) ?? undefined
    case 'birthDate':
      return parseDate(text.trim()) ?? undefined
    case 'password':
      return lengthOf(text) <= MAX_STRING_LENGTH ? text : undefined
    default:
      return lengthOf(text.trim()) <= MAX_NAME_LENGTH ? text.trim() : undefined
  }
}

function readIds(
  reader: EnvelopeReader,
  node: DocumentNode,
  target: {
    project: Project
    allows: (field: string, container: string) => boolean
    /** Without authentication: numbers that count up would let a stranger count. */
    isOpen: boolean
    customer: SentCustomer
  },
): void {
  const { identifierKinds } = target.project
  const kinds = {
    has: (name: string) => name === CUSTOMER_ID || identifierKinds.has(name),
    keys: () => [CUSTOMER_ID, ...identifierKinds.keys()],
  }
  const rank = (kind: string) => identifierKinds.get(kind) ?? -1
  for (const [kind, child] of reader.members(node, '/customer/ids', kinds)) {
    const location = `/customer/ids/${kind}`
    if (!target.allows(`ids.${kind}`, 'ids') || (kind === CUSTOMER_ID && target.isOpen)) {
      reader.refuse(location, NOT_ALLOWED)
      continue
    }
    const value = reader.value(child, location)
    if (value === null && kind === CUSTOMER_ID) reader.refuse(location, 'cannot be cleared')
    else if (value === null) target.customer.clearedIds.push(kind)
    else if (value !== undefined && lengthOf(value.trim()) > MAX_STRING_LENGTH) {
      reader.refuse(location, `is longer than ${MAX_STRING_LENGTH} characters`)
    } else if (value !== undefined) target.customer.ids.push({ kind, value: value.trim() })
  }
  target.customer.ids.sort((one, other) => rank(one.kind) - rank(other.kind))
}
