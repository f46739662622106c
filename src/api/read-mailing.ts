import { MAX_LIST_ITEMS, parseScalar } from '#customers'
import type { DocumentNode } from '#formats/document'
import type { MessageRequest, ParameterValue } from '#messages'
import type { Channel, MailingDefinition, Operation, ParameterDefinition } from '#projects'
import type { EnvelopeReader } from './envelope-reader.ts'

export const MAILING_ELEMENTS = new Map<string, Channel>([
  ['emailMailing', 'Email'],
  ['smsMailing', 'Sms'],
  ['viberMailing', 'Viber'],
])

const CHILDREN = new Set(['customParameters'])

/** The message a document asks for; null when it was refused or the operation sends none. */
export function readMailing(
  reader: EnvelopeReader,
  elements: Map<string, DocumentNode>,
  operation: Operation,
): MessageRequest | null {
  const [first, second] = elements
  if (operation.definition.kind === 'editCustomer') {
    for (const name of elements.keys()) reader.refuse(`/${name}`, 'this operation sends no message')
    return null
  }
  if (second !== undefined) {
    reader.refuse(`/${second[0]}`, 'only one mailing element can be sent')
    return null
  }
  const mailing = chooseMailing(reader, first?.[0], operation)
  if (mailing === undefined) return null
  const element = first?.[0] ?? elementOf(mailing.channel)
  const sent = first && reader.members(first[1], `/${element}`, CHILDREN).get('customParameters')
  const location = `/${element}/customParameters`
  const parameters = readParameters(reader, sent, { mailing, location })
  return { mailing: mailing.name, channel: mailing.channel, parameters }
}

function chooseMailing(
  reader: EnvelopeReader,
  element: string | undefined,
  operation: Operation,
): MailingDefinition | undefined {
  const { mailingsByChannel } = operation
  const channels = [...mailingsByChannel.keys()]
  const choices = channels.map(elementOf).join(', ')
  if (element === undefined) {
    const [only, another] = mailingsByChannel.values()
    if (another === undefined) return only
    reader.refuse('/', `choose the message with one of ${choices}`)
    return undefined
  }
  const mailing = mailingsByChannel.get(MAILING_ELEMENTS.get(element) ?? 'Email')
  if (mailing === undefined) {
    reader.refuse(`/${element}`, `this operation has no such message; it has ${choices}`)
  }
  return mailing
}

function elementOf(channel: Channel): string {
  return `${channel.toLowerCase()}Mailing`
}

function readParameters(
  reader: EnvelopeReader,
  node: DocumentNode | undefined,
  { mailing, location }: { mailing: MailingDefinition; location: string },
): Record<string, ParameterValue> {
  const declared = new Map(mailing.parameters.map((parameter) => [parameter.name, parameter]))
  const sent = node === undefined ? new Map() : reader.members(node, location, declared)
  const values: Record<string, ParameterValue> = {}
  for (const parameter of mailing.parameters) {
    const at = `${location}/${parameter.name}`
    const child: DocumentNode | undefined = sent.get(parameter.name)
    const problemCount = reader.problems.length
    const value = child && readParameter(reader, child, { parameter, location: at })
    if (value !== undefined) values[parameter.name] = value
    else if (reader.problems.length > problemCount) continue
    else if (parameter.default !== null) values[parameter.name] = defaultOf(parameter)
    else if (parameter.isRequired) reader.refuse(at, 'is required')
  }
  return values
}

/** The default of a list is kept as a JSON array. */
function defaultOf(parameter: ParameterDefinition): ParameterValue {
  const text = parameter.default ?? ''
  return parameter.type === 'list' ? (JSON.parse(text) as string[]) : text
}

/** Undefined: empty, which counts as not sent, or refused. */
function readParameter(
  reader: EnvelopeReader,
  node: DocumentNode,
  { parameter, location }: { parameter: ParameterDefinition; location: string },
): ParameterValue | undefined {
  if (node.isCleared && node.children.length === 0) return undefined
  if (parameter.type === 'list') return readListParameter(reader, node, location)
  const text = reader.plainValue(node, location)
  if (text === undefined || parameter.type === 'text' || parameter.type === 'html') return text
  const parsed = parseScalar(text, parameter.type === 'number' ? 'decimal' : parameter.type)
  if (parsed.kind === 'value') return parsed.value
  reader.refuse(location, `must be ${parsed.expected}`)
  return undefined
}

function readListParameter(
  reader: EnvelopeReader,
  node: DocumentNode,
  location: string,
): string[] | undefined {
  const items = reader.items(node, location, 'value')
  if (items.length > MAX_LIST_ITEMS) {
    reader.refuse(location, `has more than ${MAX_LIST_ITEMS} values`)
    return undefined
  }
  const values = items.map((item, index) => reader.plainValue(item, `${location}/${index + 1}`))
  const present = values.filter((value) => value !== undefined)
  return present.length === 0 ? undefined : present
}
