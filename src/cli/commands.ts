import type { Config } from '#config'
import { HELP as APPLY_HELP, apply } from './apply.ts'
import type { CliContext } from './context.ts'
import { HELP as CUSTOMERS_HELP, customers } from './customers.ts'
import { demo } from './demo.ts'
import { HELP as KEYS_HELP, keys } from './keys.ts'
import { start } from './start.ts'
import { withContext } from './with-context.ts'

export type Command = (args: string[], config: Config) => Promise<number>

const HELP = `posthouse COMMAND [OPTIONS]

  demo        try it: the whole thing on this machine with a made-up shop
  start       run the service
  apply       check a project folder and put it in force
  keys        make, list, rotate and revoke the secret keys of an endpoint
  customers   erase a customer
  help        this text

posthouse COMMAND --help tells more. Settings are environment variables: see docs/operating.md.`

/** One file per command. */
export const commands: Record<string, Command> = {
  demo,
  start,
  apply: onDatabase(apply, APPLY_HELP),
  keys: onDatabase(keys, KEYS_HELP),
  customers: onDatabase(customers, CUSTOMERS_HELP),
  help: async () => {
    console.log(HELP)
    return 0
  },
}

/** Help needs no database, which would have to be started for it. */
function onDatabase(
  command: (args: string[], context: CliContext) => Promise<number>,
  help: string,
): Command {
  return async (args, config) => {
    if (!args.includes('--help'))
      return await withContext(config, (context) => command(args, context))
    console.log(help)
    return 0
  }
}
