import type { EndpointDefinition } from './definition.ts'
import { type Problem, report } from './problems.ts'
import { checkName, distinctTextsOf, namedEntriesOf, settingsOf, textOf } from './read-values.ts'
import { suggestionFor } from './suggest.ts'
import type { Entry, Value } from './yaml-tree.ts'

const DEFAULT_MECHANISM = 'default'

export function checkEndpoints(
  value: Value | undefined,
  operations: ReadonlySet<string>,
  problems: Problem[],
): EndpointDefinition[] {
  return namedEntriesOf(value, 'system', problems).map((entry) =>
    checkEndpoint(entry, operations, problems),
  )
}

function checkEndpoint(
  { name, value }: Entry,
  operations: ReadonlySet<string>,
  problems: Problem[],
): EndpointDefinition {
  const keys = ['title', 'transactionMechanism', 'operations'] as const
  const settings = settingsOf(value, keys, problems)
  return {
    name,
    title: textOf(settings.title, problems) ?? name,
    transactionMechanism: checkMechanism(settings.transactionMechanism, problems),
    operations: checkAllowedOperations(settings.operations, operations, problems),
  }
}

function checkMechanism(value: Value | undefined, problems: Problem[]): string {
  const name = textOf(value, problems)
  if (value === undefined || name === undefined) return DEFAULT_MECHANISM
  checkName('system', { name, at: value.at }, problems)
  return name
}

function checkAllowedOperations(
  value: Value | undefined,
  operations: ReadonlySet<string>,
  problems: Problem[],
): string[] | null {
  if (value === undefined) return null
  const named = distinctTextsOf(value, problems)
  for (const { text: name, at } of named) {
    if (operations.has(name)) continue
    report(problems, at, `there is no operation \`${name}\``, suggestionFor(name, operations))
  }
  return named.map(({ text }) => text)
}
