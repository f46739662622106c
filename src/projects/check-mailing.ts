import { checkParameters } from './check-parameters.ts'
import { checkTemplates, TEMPLATE_SETTINGS } from './check-templates.ts'
import { CHANNELS, type Channel, type MailingDefinition } from './definition.ts'
import { type Place, type Problem, report } from './problems.ts'
import { choiceOf, flagOf, settingsOf, textOf, wholeNumberOf } from './read-values.ts'
import type { SourceText } from './source-folder.ts'
import { suggestionFor } from './suggest.ts'
import type { Value } from './yaml-tree.ts'

/** A mailing as far as it could be understood. */
export interface MailingDraft extends Omit<MailingDefinition, 'channel'> {
  /** Undefined when the file does not say it, or not in a way we know. */
  channel: Channel | undefined
}

export interface MailingSource {
  name: string
  value: Value
  /** The project's topics; undefined when they could not be read. */
  topics: ReadonlySet<string> | undefined
  readTemplate: (path: string) => Promise<SourceText>
}

const SETTINGS = [
  'channel',
  'title',
  'transactional',
  'topic',
  'parameters',
  'secretLinkLifeHours',
  'utm',
  ...TEMPLATE_SETTINGS,
] as const

const UTM_SETTINGS = ['source', 'medium', 'campaign', 'content', 'term'] as const
const DEFAULT_SECRET_LINK_LIFE_HOURS = 24
/** A year: a link that lets its reader in should not outlive the reason it was sent for. */
const MAX_SECRET_LINK_LIFE_HOURS = 8_784

/** Checks the content of `mailings/NAME.yaml`. */
export async function checkMailing(
  { name, value, topics, readTemplate }: MailingSource,
  problems: Problem[],
): Promise<MailingDraft> {
  const settings = settingsOf(value, SETTINGS, problems)
  const channel = choiceOf(settings.channel, CHANNELS, problems)
  if (settings.channel === undefined) {
    report(problems, value.at, 'the mailing has no channel', `Channels: ${CHANNELS.join(', ')}.`)
  }
  const lifeRange = { min: 1, max: MAX_SECRET_LINK_LIFE_HOURS }
  return {
    name,
    title: textOf(settings.title, problems) ?? name,
    channel,
    topic: checkTopic({ ...settings, at: value.at }, topics, problems),
    parameters: checkParameters(settings.parameters, problems),
    secretLinkLifeHours:
      wholeNumberOf(settings.secretLinkLifeHours, lifeRange, problems) ??
      DEFAULT_SECRET_LINK_LIFE_HOURS,
    templates: await checkTemplates({ settings, at: value.at, channel, readTemplate }, problems),
    utm: checkUtm(settings.utm, problems),
  }
}

function checkTopic(
  written: { topic?: Value; transactional?: Value; at: Place },
  topics: ReadonlySet<string> | undefined,
  problems: Problem[],
): string | null {
  const isTransactional = flagOf(written.transactional, problems) ?? false
  const topic = textOf(written.topic, problems)
  if (written.topic === undefined) {
    if (isTransactional) return null
    // A `transactional` of a wrong type was reported already.
    const isSaid = written.transactional?.kind === 'scalar' && written.transactional.value !== false
    if (isSaid) return null
    const message = 'the mailing says neither `topic` nor `transactional: true`'
    const suggestion =
      'Give the topic it belongs to, or say that it is sent whatever the customer subscribed to.'
    report(problems, written.at, message, suggestion)
    return null
  }
  if (isTransactional) {
    const message = 'a transactional mailing ignores subscriptions, so it cannot have a topic'
    report(problems, written.topic.at, message, 'Keep one of `topic` and `transactional`.')
  }
  if (topic !== undefined && topics !== undefined && !topics.has(topic)) {
    report(
      problems,
      written.topic.at,
      `there is no topic \`${topic}\``,
      suggestionFor(topic, topics),
    )
  }
  return topic ?? null
}

function checkUtm(value: Value | undefined, problems: Problem[]): Record<string, string> {
  const utm: Record<string, string> = {}
  if (value === undefined) return utm
  const settings = settingsOf(value, UTM_SETTINGS, problems)
  for (const name of UTM_SETTINGS) {
    const text = textOf(settings[name], problems)
    if (text !== undefined) utm[name] = text
  }
  return utm
}
