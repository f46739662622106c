import type { MailingDefinition, OperationDefinition, ProjectDefinition } from './definition.ts'

/** A small shop with one endpoint, one edit and one message by two channels. */
export function aDefinition(changes: Partial<ProjectDefinition> = {}): ProjectDefinition {
  return {
    name: 'corner-shop',
    title: 'Corner shop',
    locale: 'en',
    defaultCountry: 'DE',
    timeZone: 'UTC',
    endpoints: [
      { name: 'website', title: 'Web site', transactionMechanism: 'default', operations: null },
    ],
    identifierKinds: [
      { name: 'siteId', title: 'siteId' },
      { name: 'crmId', title: 'crmId' },
    ],
    customFields: [
      { name: 'size', title: 'Size', type: 'string', isList: false, values: [], isPersonal: false },
    ],
    topics: [{ name: 'news', title: 'News', isSubscribedByDefault: true }],
    operations: [
      anOperation({ name: 'Edit' }),
      anOperation({ name: 'Order', kind: 'triggerMessage', mailings: ['order', 'order-sms'] }),
    ],
    mailings: [
      aMailing({ name: 'order', channel: 'Email', templates: { subject: 'Hi', text: 'Hello' } }),
      aMailing({ name: 'order-sms' }),
    ],
    ...changes,
  }
}

export function anOperation(changes: Partial<OperationDefinition> = {}): OperationDefinition {
  return {
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
}

export function aMailing(changes: Partial<MailingDefinition> = {}): MailingDefinition {
  return {
    name: 'order-sms',
    title: 'Order',
    channel: 'Sms',
    topic: null,
    parameters: [],
    secretLinkLifeHours: 24,
    templates: { text: 'Hello' },
    utm: {},
    ...changes,
  }
}
