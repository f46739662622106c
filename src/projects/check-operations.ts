import type { MailingDraft } from './check-mailing.ts'
import type {
  Authentication,
  Channel,
  CustomField,
  IdentifierKind,
  OperationDefinition,
  WhenNotFound,
} from './definition.ts'
import { type Place, type Problem, report } from './problems.ts'
import {
  choiceOf,
  distinctTextsOf,
  namedEntriesOf,
  settingsOf,
  wholeNumberOf,
} from './read-values.ts'
import { suggestionFor } from './suggest.ts'
import type { Entry, Value } from './yaml-tree.ts'

/** What operations may name. */
export interface Vocabulary {
  identifierKinds: readonly IdentifierKind[]
  customFields: readonly CustomField[]
  mailings: ReadonlyMap<string, MailingDraft>
}

type Kind = OperationDefinition['kind']

const KINDS: readonly Kind[] = ['editCustomer', 'triggerMessage']
const AUTHENTICATIONS: readonly Authentication[] = [
  'secretKey',
  'ticket',
  'secretKeyOrTicket',
  'none',
]
const WHEN_NOT_FOUND: readonly WhenNotFound[] = ['create', 'ignore', 'reject']
const CONTACTS = ['email', 'mobilePhone']
const EDITABLE = ['lastName', 'firstName', 'birthDate', 'password', 'subscriptions']
const DEFAULT_RATE_PER_MINUTE = 8_000
/** No real limit: what a bench sets to lift it. */
const MAX_RATE_PER_MINUTE = 1_000_000_000
/** Of the operation's own limit, so that ten strangers are needed to use it up. */
const ADDRESS_SHARE = 10

const SETTINGS = [
  'kind',
  'authentication',
  'fields',
  'whenNotFound',
  'rateLimitPerMinute',
  'rateLimitPerAddressPerMinute',
  'mailings',
] as const

export function checkOperations(
  value: Value | undefined,
  vocabulary: Vocabulary,
  problems: Problem[],
): OperationDefinition[] {
  return namedEntriesOf(value, 'element', problems).map((entry) =>
    checkOperation(entry, vocabulary, problems),
  )
}

function checkOperation(
  { name, at, value }: Entry,
  vocabulary: Vocabulary,
  problems: Problem[],
): OperationDefinition {
  const settings = settingsOf(value, SETTINGS, problems)
  const kind = choiceOf(settings.kind, KINDS, problems)
  if (settings.kind === undefined) {
    report(problems, at, `operation \`${name}\` has no kind`, `Kinds: ${KINDS.join(', ')}.`)
  }
  const authentication = choiceOf(settings.authentication, AUTHENTICATIONS, problems) ?? 'secretKey'
  checkAuthentication(settings.authentication, { kind, authentication }, problems)
  const mailings = checkMailings(
    settings.mailings,
    { at, kind, authentication, vocabulary },
    problems,
  )
  const fields = checkFields(settings.fields, { kind, authentication, vocabulary }, problems)
  const rateRange = { min: 1, max: MAX_RATE_PER_MINUTE }
  const rateLimitPerMinute =
    wholeNumberOf(settings.rateLimitPerMinute, rateRange, problems) ?? DEFAULT_RATE_PER_MINUTE
  return {
    name,
    kind: kind ?? 'editCustomer',
    authentication,
    fields,
    whenNotFound: choiceOf(settings.whenNotFound, WHEN_NOT_FOUND, problems) ?? 'create',
    rateLimitPerMinute,
    rateLimitPerAddressPerMinute:
      wholeNumberOf(settings.rateLimitPerAddressPerMinute, rateRange, problems) ??
      Math.max(1, Math.floor(rateLimitPerMinute / ADDRESS_SHARE)),
    mailings,
  }
}

interface OperationFacts {
  at: Place
  kind: Kind | undefined
  authentication: Authentication
  vocabulary: Vocabulary
}

/** A ticket belongs to edit customer calls: interface 2.2. */
function checkAuthentication(
  value: Value | undefined,
  { kind, authentication }: Pick<OperationFacts, 'kind' | 'authentication'>,
  problems: Problem[],
): void {
  if (value === undefined || kind !== 'triggerMessage') return
  if (authentication !== 'ticket' && authentication !== 'secretKeyOrTicket') return
  const message = 'a ticket belongs to edit customer calls, and this operation triggers a message'
  report(problems, value.at, message, 'Write `secretKey` or `none`.')
}

function checkMailings(
  value: Value | undefined,
  { at, kind, authentication, vocabulary }: OperationFacts,
  problems: Problem[],
): string[] {
  const isEmpty = value === undefined || (value.kind === 'list' && value.items.length === 0)
  if (kind === 'triggerMessage' && isEmpty) {
    const message = 'an operation that triggers a message needs a mailing'
    report(problems, value?.at ?? at, message, 'Add `mailings: [order-confirmation]`.')
  }
  if (value === undefined) return []
  if (kind === 'editCustomer') {
    const message = 'an operation that edits a customer sends nothing, so it has no mailings'
    report(problems, value.at, message, 'Write `kind: triggerMessage`, or remove the mailings.')
  }
  const named = distinctTextsOf(value, problems)
  const byChannel = new Map<Channel, string>()
  for (const { text: name, at: nameAt } of named) {
    const mailing = vocabulary.mailings.get(name)
    if (mailing === undefined) {
      const suggestion = suggestionFor(name, vocabulary.mailings.keys())
      report(problems, nameAt, `there is no mailing \`${name}\``, suggestion)
      continue
    }
    checkChannelIsFree(mailing, nameAt, byChannel, problems)
    const html = mailing.parameters.find((parameter) => parameter.type === 'html')
    if (authentication === 'none' && html !== undefined) {
      const message = `without authentication no html is accepted, and \`${name}\` has the html parameter \`${html.name}\``
      report(problems, nameAt, message, 'Ask for a secret key, or make the parameter a text.')
    }
  }
  return named.map(({ text }) => text)
}

function checkChannelIsFree(
  { name, channel }: MailingDraft,
  at: Place,
  byChannel: Map<Channel, string>,
  problems: Problem[],
): void {
  if (channel === undefined) return
  const other = byChannel.get(channel)
  if (other === undefined) byChannel.set(channel, name)
  else {
    const message = `\`${other}\` and \`${name}\` both go by ${channel}; an operation has one mailing per channel`
    report(problems, at, message, 'Make a second operation.')
  }
}

function checkFields(
  value: Value | undefined,
  { kind, authentication, vocabulary }: Omit<OperationFacts, 'at'>,
  problems: Problem[],
): string[] | null {
  if (value === undefined) return null
  const allowed = fieldsAllowed(kind, vocabulary)
  const named = distinctTextsOf(value, problems)
  if (value.kind === 'list' && value.items.length === 0) {
    const suggestion = 'Remove the line to accept every field.'
    report(problems, value.at, 'an operation that accepts no field can do nothing', suggestion)
  }
  for (const { text: name, at } of named) {
    if (!allowed.has(name)) {
      const isEdit =
        kind === 'triggerMessage' && fieldsAllowed('editCustomer', vocabulary).has(name)
      const message = isEdit
        ? `an operation that triggers a message does not accept \`${name}\``
        : `there is no field \`${name}\``
      report(problems, at, message, suggestionFor(name, allowed))
    } else if (name === 'password' && authentication === 'none') {
      const message = 'without authentication nobody may change a password'
      report(problems, at, message, 'Ask for a secret key or a ticket, or remove the field.')
    }
  }
  return named.map(({ text }) => text)
}

function fieldsAllowed(kind: Kind | undefined, vocabulary: Vocabulary): ReadonlySet<string> {
  const ids = ['customerId', ...vocabulary.identifierKinds.map(({ name }) => name)]
  const forAll = [...CONTACTS, 'ids', ...ids.map((name) => `ids.${name}`)]
  if (kind === 'triggerMessage') return new Set(forAll)
  const custom = vocabulary.customFields.map(({ name }) => `customFields.${name}`)
  return new Set([...forAll, ...EDITABLE, 'customFields', ...custom])
}
