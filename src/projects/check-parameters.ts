import type { ParameterDefinition, ParameterType } from './definition.ts'
import { type Problem, report } from './problems.ts'
import { choiceOf, described, flagOf, namedEntriesOf, settingsOf } from './read-values.ts'
import type { Entry, Value } from './yaml-tree.ts'

const TYPES: readonly ParameterType[] = ['text', 'html', 'number', 'boolean', 'date', 'list']
const SETTINGS = ['type', 'required', 'default'] as const

/** The `parameters` of a mailing: `total: number`, or a block with type, required and default. */
export function checkParameters(
  value: Value | undefined,
  problems: Problem[],
): ParameterDefinition[] {
  return namedEntriesOf(value, 'element', problems).map((entry) => checkParameter(entry, problems))
}

function checkParameter({ name, at, value }: Entry, problems: Problem[]): ParameterDefinition {
  if (value.kind === 'scalar' && value.value !== null) {
    const type = choiceOf(value, TYPES, problems) ?? 'text'
    return { name, type, isRequired: false, default: null }
  }
  const settings = settingsOf(value, SETTINGS, problems)
  const type = choiceOf(settings.type, TYPES, problems)
  if (settings.type === undefined) {
    report(problems, at, `parameter \`${name}\` has no type`, `Types: ${TYPES.join(', ')}.`)
  }
  const isRequired = flagOf(settings.required, problems) ?? false
  if (isRequired && settings.default !== undefined) {
    const message = `parameter \`${name}\` is required, so its default would never be used`
    report(problems, settings.default.at, message, 'Keep one of `required` and `default`.')
  }
  const fallback = type === undefined ? null : checkDefault(settings.default, type, problems)
  return { name, type: type ?? 'text', isRequired, default: fallback }
}

function checkDefault(
  value: Value | undefined,
  type: ParameterType,
  problems: Problem[],
): string | null {
  if (value === undefined) return null
  const text = asSent(value, type)
  if (text !== undefined) return text
  const message = `this default must be ${EXPECTED[type]}, not ${described(value)}`
  report(problems, value.at, message)
  return null
}

const EXPECTED: Record<ParameterType, string> = {
  text: 'a text',
  html: 'a text',
  number: 'a number such as 12 or 12.50',
  boolean: 'true or false',
  date: 'a date such as 2026-01-31',
  list: 'a list of texts',
}

/** The default as a client would send it, a list as a JSON array; undefined when it does not fit. */
function asSent(value: Value, type: ParameterType): string | undefined {
  if (type === 'list') return listAsSent(value)
  if (value.kind !== 'scalar') return undefined
  switch (type) {
    case 'text':
    case 'html':
      return typeof value.value === 'string' ? value.value : undefined
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(value.source) ? value.source : undefined
    case 'boolean':
      return value.source === 'true' || value.source === 'false' ? value.source : undefined
    case 'date':
      return isDate(value.source) ? value.source : undefined
  }
}

function listAsSent(value: Value): string | undefined {
  if (value.kind !== 'list') return undefined
  const texts = value.items.map((item) => (item.kind === 'scalar' ? item.value : undefined))
  return texts.every((text) => typeof text === 'string') ? JSON.stringify(texts) : undefined
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
