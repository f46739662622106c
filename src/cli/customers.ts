import { parseArgs } from 'node:util'
import { eraseCustomer } from '#operations'
import { ProjectRegistry, suggestionFor } from '#projects'
import type { CliContext } from './context.ts'

export const HELP = `posthouse customers erase --project P --customer ID --yes

Clears everything personal about a customer: its record, identifiers, subscriptions, devices and
fields, the addresses and parameters of its messages, and what the history has not published yet.
That messages were sent stays, without personal data. Each of its records is exported once more,
marked as deleted. Files of the export that are already published never change: whoever has read
them must be told to delete on their side.

  --project P     the project's system name
  --customer ID   the customerId (of a merged customer too)
  --yes           do it; without it, nothing happens`

export async function customers(args: string[], context: CliContext): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      project: { type: 'string' },
      customer: { type: 'string' },
      yes: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    context.out(HELP)
    return 0
  }
  if (positionals[0] !== 'erase' || !values.project || !/^\d{1,18}$/.test(values.customer ?? '')) {
    context.err('Use: posthouse customers erase --project P --customer ID. See --help.')
    return 2
  }
  if (!values.yes) {
    context.err(`${HELP}\n\nNothing was erased: add --yes to do it.`)
    return 2
  }
  return await erase(values.project, values.customer ?? '', context)
}

async function erase(name: string, customerId: string, context: CliContext): Promise<number> {
  const { database, masterKey, out, err } = context
  const onFault = (fault: unknown) => err(fault instanceof Error ? fault.message : String(fault))
  await using registry = await ProjectRegistry.start({ database, masterKey, onError: onFault })
  const projects = [...registry.projects()]
  const project = projects.find((one) => one.name === name)
  if (project === undefined) {
    const suggestion =
      suggestionFor(
        name,
        projects.map((one) => one.name),
      ) ?? ''
    err(`There is no project ${name}. ${suggestion}`)
    return 1
  }
  const outcome = await eraseCustomer(database, { project, customerId })
  if (outcome.kind === 'notFound') {
    err(`The project ${name} has no customer ${customerId}.`)
    return 1
  }
  out(`Customer ${customerId} is erased (ids: ${outcome.customerIds.join(', ')}).`)
  out('Published files of the export keep what they held; tell those who read them.')
  return 0
}
