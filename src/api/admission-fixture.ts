import type {
  CustomField,
  Endpoint,
  MailingDefinition,
  Operation,
  OperationDefinition,
  ParameterDefinition,
  Project,
  ProjectDefinition,
  ScalarFieldType,
  Topic,
} from '#projects'
import type { Admission } from './admit.ts'

/** A caller who was let in, with the key if there is one to have. */
export function anAdmission(operation: Partial<OperationDefinition> = {}): Admission {
  const endpoint = anEndpoint()
  return {
    mode: 'sync',
    endpoint,
    operation: anOperation(operation),
    hasKey: operation.authentication !== 'none',
    notation: 'xml',
    answerNotation: 'xml',
  }
}

function anOperation(changes: Partial<OperationDefinition>): Operation {
  const definition: OperationDefinition = {
    name: 'Edit',
    kind: 'editCustomer',
    authentication: 'secretKey',
    fields: null,
    whenNotFound: 'create',
    rateLimitPerMinute: 8_000,
    rateLimitPerAddressPerMinute: 800,
    mailings: [],
    ...changes,
  }
  const mailings = definition.mailings.map((name) => MAILINGS.find((one) => one.name === name))
  const present = mailings.filter((mailing) => mailing !== undefined)
  return {
    definition,
    mailingsByChannel: new Map(present.map((mailing) => [mailing.channel, mailing])),
  }
}

const parameter = (
  name: string,
  changes: Partial<ParameterDefinition> = {},
): ParameterDefinition => ({ name, type: 'text', isRequired: false, default: null, ...changes })

const mailing = (name: string, changes: Partial<MailingDefinition>): MailingDefinition => ({
  name,
  title: name,
  channel: 'Email',
  topic: null,
  parameters: [],
  secretLinkLifeHours: 24,
  templates: {},
  utm: {},
  ...changes,
})

const MAILINGS: MailingDefinition[] = [
  mailing('order', {
    parameters: [
      parameter('orderNumber', { isRequired: true }),
      parameter('items', { type: 'html' }),
      parameter('total', { type: 'number' }),
      parameter('isPaid', { type: 'boolean' }),
      parameter('day', { type: 'date' }),
      parameter('gifts', { type: 'list', default: '["bag"]' }),
      parameter('shop', { default: 'Corner' }),
    ],
  }),
  mailing('order-sms', { channel: 'Sms' }),
]

const field = (
  name: string,
  type: ScalarFieldType,
  changes: Partial<CustomField> = {},
): CustomField => ({
  name,
  title: name,
  type,
  isList: false,
  values: [],
  isPersonal: false,
  ...changes,
})

const FIELDS: CustomField[] = [
  field('size', 'string'),
  field('age', 'integer'),
  field('colour', 'enum', { values: ['red', 'green'] }),
  field('numbers', 'integer', { isList: true }),
]

const TOPICS: Topic[] = [{ name: 'news', title: 'News', isSubscribedByDefault: true }]

function byName<Named extends { name: string }>(list: Named[]): Map<string, Named> {
  return new Map(list.map((named) => [named.name, named]))
}

function anEndpoint(): Endpoint {
  const project = {
    id: 1,
    name: 'corner-shop',
    definition: { defaultCountry: 'RU' } as ProjectDefinition,
    signingKey: Buffer.alloc(32, 1),
    identifierKinds: new Map([
      ['webSiteUserId', 0],
      ['crmId', 1],
    ]),
    customFields: byName(FIELDS),
    topics: byName(TOPICS),
    mailings: byName(MAILINGS),
  } as unknown as Project
  return {
    id: 'corner-shop.website',
    project,
    definition: { name: 'website', title: '', transactionMechanism: 'default', operations: null },
    keys: [{ id: 'k', value: 'the key', bytes: Buffer.from('the key') }],
    mayCall: () => true,
  }
}
