import { parseBoolean, type Subscription } from '#customers'
import type { DocumentNode } from '#formats/document'
import { CHANNELS, type Channel, nearest, type Project } from '#projects'
import type { EnvelopeReader } from './envelope-reader.ts'

const ELEMENTS = new Set(['pointOfContact', 'topic', 'isSubscribed'])
const MAX_SUBSCRIPTIONS = 100

export function readSubscriptions(
  reader: EnvelopeReader,
  node: DocumentNode,
  project: Project,
): Subscription[] {
  const location = '/customer/subscriptions'
  if (node.isCleared) {
    reader.refuse(location, 'cannot be cleared; send isSubscribed for what has changed')
    return []
  }
  const items = reader.items(node, location, 'subscription')
  if (items.length > MAX_SUBSCRIPTIONS) {
    reader.refuse(location, `has more than ${MAX_SUBSCRIPTIONS} subscriptions`)
    return []
  }
  return items.flatMap((item, index) => readOne(reader, item, `${location}/${index + 1}`, project))
}

function readOne(
  reader: EnvelopeReader,
  node: DocumentNode,
  location: string,
  project: Project,
): Subscription[] {
  const members = reader.members(node, location, ELEMENTS)
  const text = (name: string) => {
    const member = members.get(name)
    return member && reader.plainValue(member, `${location}/${name}`)?.trim()
  }
  const channel = readChannel(reader, text('pointOfContact'), `${location}/pointOfContact`)
  const topic = readTopic(reader, text('topic'), `${location}/topic`, project)
  const answer = text('isSubscribed')
  const isSubscribed = answer === undefined ? null : parseBoolean(answer)
  if (isSubscribed === null) {
    reader.refuse(`${location}/isSubscribed`, 'is required: true or false')
    return []
  }
  if (channel === undefined || topic === undefined) return []
  return [{ channel, topic, isSubscribed: isSubscribed === 'true' }]
}

/** Null: all of them. Undefined: refused. */
function readChannel(
  reader: EnvelopeReader,
  text: string | undefined,
  location: string,
): Channel | null | undefined {
  if (text === undefined) return null
  const channel = CHANNELS.find((known) => known.toLowerCase() === text.toLowerCase())
  if (channel === undefined) reader.refuse(location, `must be one of ${CHANNELS.join(', ')}`)
  return channel
}

function readTopic(
  reader: EnvelopeReader,
  text: string | undefined,
  location: string,
  project: Project,
): string | null | undefined {
  if (text === undefined) return null
  if (project.topics.has(text)) return text
  const near = nearest(text.slice(0, 100), project.topics.keys())
  reader.refuse(location, `unknown topic${near ? `; did you mean ${near}?` : ''}`)
  return undefined
}
