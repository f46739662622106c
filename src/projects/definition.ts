/** What a project says about itself: the content of `project.yaml` and `mailings/`, checked. */
export interface ProjectDefinition {
  /** System name, the `_tenant` of the export and the first half of every endpointId. */
  name: string
  title: string
  locale: string
  /** ISO 3166 code: national phone numbers are read as numbers of this country. */
  defaultCountry: string
  timeZone: string
  endpoints: EndpointDefinition[]
  /** In order of precedence, the built-in `customerId` not among them. */
  identifierKinds: IdentifierKind[]
  customFields: CustomField[]
  topics: Topic[]
  operations: OperationDefinition[]
  mailings: MailingDefinition[]
}

export interface EndpointDefinition {
  /** `endpointId` on the wire is `{project}.{name}`. */
  name: string
  title: string
  transactionMechanism: string
  /** Names of the operations it may call; null: all. */
  operations: string[] | null
}

export interface IdentifierKind {
  name: string
  title: string
}

export type ScalarFieldType =
  | 'string'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'dateTime'
  | 'enum'

export interface CustomField {
  name: string
  title: string
  /** The type of the value, or of each item of a list. */
  type: ScalarFieldType
  isList: boolean
  /** The allowed values of an enum; empty for other types. */
  values: string[]
  isPersonal: boolean
}

export interface Topic {
  name: string
  title: string
  isSubscribedByDefault: boolean
}

export type Authentication = 'secretKey' | 'ticket' | 'secretKeyOrTicket' | 'none'
export type WhenNotFound = 'create' | 'ignore' | 'reject'
export type Channel = 'Email' | 'Sms' | 'Viber'
export const CHANNELS: readonly Channel[] = ['Email', 'Sms', 'Viber']

export interface OperationDefinition {
  name: string
  kind: 'editCustomer' | 'triggerMessage'
  authentication: Authentication
  /**
   * Customer elements the operation accepts, e.g. `email`, `ids.webSiteUserId`, `customFields.size`,
   * `subscriptions`; null: all that its kind allows.
   */
  fields: string[] | null
  whenNotFound: WhenNotFound
  rateLimitPerMinute: number
  /** For calls without a key. */
  rateLimitPerAddressPerMinute: number
  /** Names of its mailings, at most one per channel; empty for an edit. */
  mailings: string[]
}

export type ParameterType = 'text' | 'html' | 'number' | 'boolean' | 'date' | 'list'

export interface ParameterDefinition {
  name: string
  type: ParameterType
  isRequired: boolean
  /** As it would be sent; null: none. */
  default: string | null
}

export interface MailingDefinition {
  name: string
  title: string
  channel: Channel
  /** The topic whose subscriptions it obeys; null: transactional, sent to everybody. */
  topic: string | null
  parameters: ParameterDefinition[]
  /** How long a secret link in it lets its reader in. */
  secretLinkLifeHours: number
  /** Liquid sources: `subject`, `html`, `mjml`, `text`; those the channel has. */
  templates: Record<string, string>
  utm: Record<string, string>
}
