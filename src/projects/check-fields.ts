import type { CustomField, IdentifierKind, ScalarFieldType, Topic } from './definition.ts'
import { type Place, type Problem, report } from './problems.ts'
import {
  checkName,
  choiceOf,
  distinctTextsOf,
  flagOf,
  itemsOf,
  namedEntriesOf,
  settingsOf,
  textOf,
} from './read-values.ts'
import type { Entry, Value } from './yaml-tree.ts'

const FIELD_TYPES: readonly ScalarFieldType[] = [
  'string',
  'integer',
  'decimal',
  'boolean',
  'date',
  'dateTime',
  'enum',
]

/**
 * A list and not a block, because its order is the order of precedence. An item is a name, or a
 * block with name and title.
 */
export function checkIdentifierKinds(
  value: Value | undefined,
  problems: Problem[],
): IdentifierKind[] {
  if (value === undefined) return []
  const kinds = new Map<string, IdentifierKind>()
  for (const item of itemsOf(value, problems)) {
    const kind = checkIdentifierKind(item, problems)
    if (kind === undefined) continue
    if (kinds.has(kind.name)) {
      report(problems, item.at, `identifier kind \`${kind.name}\` is in this list twice`)
    } else kinds.set(kind.name, kind)
  }
  return [...kinds.values()]
}

function checkIdentifierKind(item: Value, problems: Problem[]): IdentifierKind | undefined {
  const settings =
    item.kind === 'map' ? settingsOf(item, ['name', 'title'], problems) : { name: item }
  if (settings.name === undefined) {
    report(problems, item.at, 'the identifier kind has no name', 'Add `name`.')
    return undefined
  }
  const name = textOf(settings.name, problems)
  if (name === undefined) return undefined
  checkName('element', { name, at: settings.name.at }, problems)
  return { name, title: textOf(settings.title, problems) ?? name }
}

/** The custom fields; `taken` are the identifier kinds, whose names they share in the export. */
export function checkCustomFields(
  value: Value | undefined,
  taken: readonly IdentifierKind[],
  problems: Problem[],
): CustomField[] {
  const entries = namedEntriesOf(value, 'element', problems)
  for (const { name, at } of entries) {
    if (!taken.some((kind) => kind.name === name)) continue
    const message = `\`${name}\` is the name of an identifier kind already`
    report(problems, at, message, 'Fields and identifier kinds share one list of names.')
  }
  return entries.map((entry) => checkCustomField(entry, problems))
}

function checkCustomField({ name, at, value }: Entry, problems: Problem[]): CustomField {
  const keys = ['title', 'type', 'list', 'values', 'personal'] as const
  // `size: string` is short for a block that says nothing but the type.
  const settings =
    value.kind === 'scalar' && value.value !== null
      ? { type: value }
      : settingsOf(value, keys, problems)
  if (settings.type === undefined) {
    report(problems, at, `field \`${name}\` has no type`, `Types: ${FIELD_TYPES.join(', ')}.`)
  }
  const type = checkFieldType(settings.type, problems)
  return {
    name,
    title: textOf(settings.title, problems) ?? name,
    type: type ?? 'string',
    isList: flagOf(settings.list, problems) ?? false,
    values: checkValues(settings.values, { name, type, at }, problems),
    isPersonal: flagOf(settings.personal, problems) ?? false,
  }
}

function checkFieldType(
  value: Value | undefined,
  problems: Problem[],
): ScalarFieldType | undefined {
  if (value?.kind === 'scalar' && value.value === 'list') {
    const suggestion = 'Write the type of its items, and `list: true` beside it.'
    report(problems, value.at, '`list` does not say what the list is of', suggestion)
    return undefined
  }
  return choiceOf(value, FIELD_TYPES, problems)
}

function checkValues(
  value: Value | undefined,
  field: { name: string; type: ScalarFieldType | undefined; at: Place },
  problems: Problem[],
): string[] {
  const values = value === undefined ? [] : distinctTextsOf(value, problems)
  const isEmpty = value === undefined || (value.kind === 'list' && value.items.length === 0)
  if (field.type === 'enum' && isEmpty) {
    const message = `field \`${field.name}\` is an enum without values`
    report(problems, value?.at ?? field.at, message, 'Add `values: [small, large]`.')
  }
  if (value !== undefined && field.type !== undefined && field.type !== 'enum') {
    const message = `only an enum has values, and \`${field.name}\` is of type ${field.type}`
    report(problems, value.at, message, 'Write `type: enum`, or remove the values.')
  }
  return values.map(({ text }) => text)
}

export function checkTopics(value: Value | undefined, problems: Problem[]): Topic[] {
  return namedEntriesOf(value, 'system', problems).map(({ name, value: block }) => {
    const settings = settingsOf(block, ['title', 'subscribedByDefault'], problems)
    return {
      name,
      title: textOf(settings.title, problems) ?? name,
      isSubscribedByDefault: flagOf(settings.subscribedByDefault, problems) ?? true,
    }
  })
}
