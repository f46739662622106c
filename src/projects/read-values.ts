import { faultOfName, type NameKind } from './names.ts'
import { type Problem, report } from './problems.ts'
import { suggestionFor } from './suggest.ts'
import type { Entry, Value } from './yaml-tree.ts'

/** Of endpoints, fields, mailings and so on; far above any shop, far below what would hurt us. */
export const MAX_LIST_LENGTH = 1_000
const MAX_TEXT_LENGTH = 1_000
/** Enough to recognise a wrong value in a message. */
const MAX_QUOTED_LENGTH = 60

/** The settings written in a block; reports those that are not among `keys`. */
export function settingsOf<Key extends string>(
  value: Value,
  keys: readonly Key[],
  problems: Problem[],
): { [K in Key]?: Value } {
  const settings: { [K in Key]?: Value } = {}
  for (const entry of blockOf(value, problems)) {
    const key = keys.find((known) => known === entry.name)
    if (key !== undefined) settings[key] = entry.value
    else {
      const suggestion = suggestionFor(entry.name, keys)
      report(problems, entry.at, `there is no setting \`${entry.name}\` here`, suggestion)
    }
  }
  return settings
}

/** The entries of a block of named things, in the order written; reports bad names. */
export function namedEntriesOf(
  value: Value | undefined,
  kind: NameKind,
  problems: Problem[],
): Entry[] {
  if (value === undefined) return []
  const entries = blockOf(value, problems)
  checkLength(value, entries, problems)
  for (const entry of entries) checkName(kind, entry, problems)
  return entries
}

export function checkName(
  kind: NameKind,
  { name, at }: Pick<Entry, 'name' | 'at'>,
  problems: Problem[],
): void {
  const fault = faultOfName(kind, name)
  if (fault !== undefined) report(problems, at, fault.message, fault.suggestion)
}

export function itemsOf(value: Value, problems: Problem[]): Value[] {
  if (value.kind === 'list') {
    checkLength(value, value.items, problems)
    return value.items
  }
  report(problems, value.at, `this must be a list, not ${described(value)}`, 'Write `[a, b]`.')
  return []
}

/** The texts of a list; reports repeated ones and leaves them out. */
export function distinctTextsOf(
  value: Value,
  problems: Problem[],
): { text: string; at: Value['at'] }[] {
  const texts = new Map<string, { text: string; at: Value['at'] }>()
  for (const item of itemsOf(value, problems)) {
    const text = textOf(item, problems)
    if (text === undefined) continue
    if (texts.has(text)) report(problems, item.at, `\`${text}\` is in this list twice`)
    else texts.set(text, { text, at: item.at })
  }
  return [...texts.values()]
}

/** A text that is not blank. */
export function textOf(
  value: Value | undefined,
  problems: Problem[],
  maxLength = MAX_TEXT_LENGTH,
): string | undefined {
  if (value === undefined) return undefined
  if (value.kind !== 'scalar' || typeof value.value !== 'string') {
    const isQuotable = value.kind === 'scalar' && value.value !== null
    const suggestion = isQuotable ? `Write it in quotes: "${value.source}".` : undefined
    report(problems, value.at, `this must be a text, not ${described(value)}`, suggestion)
    return undefined
  }
  const text = value.value
  if (text.trim() === '') report(problems, value.at, 'this text is empty')
  else if (text.length > maxLength) {
    report(problems, value.at, `this text is longer than ${maxLength} characters`)
  } else return text
  return undefined
}

export function choiceOf<Choice extends string>(
  value: Value | undefined,
  choices: readonly Choice[],
  problems: Problem[],
): Choice | undefined {
  if (value === undefined) return undefined
  const choice = choices.find((known) => value.kind === 'scalar' && known === value.value)
  if (choice === undefined) {
    const message = `this must be one of ${choices.join(', ')}, not ${described(value)}`
    const written = value.kind === 'scalar' ? value.source : ''
    // The message lists the choices already, so only a likely one is worth a suggestion.
    const suggestion = suggestionFor(written, choices)
    report(problems, value.at, message, suggestion?.startsWith('Did') ? suggestion : undefined)
  }
  return choice
}

export function flagOf(value: Value | undefined, problems: Problem[]): boolean | undefined {
  if (value === undefined) return undefined
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value
  report(problems, value.at, `this must be true or false, not ${described(value)}`)
  return undefined
}

export function wholeNumberOf(
  value: Value | undefined,
  { min, max }: { min: number; max: number },
  problems: Problem[],
): number | undefined {
  if (value === undefined) return undefined
  const number = value.kind === 'scalar' ? value.value : undefined
  if (Number.isInteger(number) && Number(number) >= min && Number(number) <= max) {
    return Number(number)
  }
  const range = `a whole number from ${min} to ${max}`
  report(problems, value.at, `this must be ${range}, not ${described(value)}`)
  return undefined
}

export function described(value: Value): string {
  if (value.kind === 'map') return 'a block of settings'
  if (value.kind === 'list') return 'a list'
  if (value.value === null) return 'nothing'
  if (typeof value.value !== 'string') return `the ${typeof value.value} ${value.source}`
  return `\`${value.value.slice(0, MAX_QUOTED_LENGTH)}\``
}

/** A name with nothing below it is a block in which everything has its default. */
function blockOf(value: Value, problems: Problem[]): Entry[] {
  if (value.kind === 'map') return value.entries
  if (value.kind === 'scalar' && value.value === null) return []
  const suggestion =
    value.kind === 'list' ? 'Write `name:` and its settings below, without the dash.' : undefined
  report(
    problems,
    value.at,
    `this must be a block of \`name: value\`, not ${described(value)}`,
    suggestion,
  )
  return []
}

/** What is too much is still read, so that nothing that names it is a second problem. */
function checkLength(value: Value, items: unknown[], problems: Problem[]): void {
  if (items.length <= MAX_LIST_LENGTH) return
  report(problems, value.at, `there are ${items.length} here, more than ${MAX_LIST_LENGTH}`)
}
