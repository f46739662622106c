import type { Config } from '#config'
import { apply } from './apply.ts'
import { customers } from './customers.ts'
import { demo } from './demo.ts'
import { keys } from './keys.ts'
import { start } from './start.ts'
import { withContext } from './with-context.ts'

export type Command = (args: string[], config: Config) => Promise<number>

const HELP = `posthouse COMMAND [OPTIONS]

  demo        try it: the whole thing on this machine with a made-up shop
  start       run it: operations in, messages out
  apply       check a project folder and put it in force
  keys        make, list, rotate and revoke the secret keys of an endpoint
  customers   erase a customer
  help        this text

posthouse COMMAND --help tells more. Settings are environment variables: see docs/operating.md.`

/** One file per command. */
export const commands: Record<string, Command> = {
  demo,
  start,
  apply: (args, config) => withContext(config, (context) => apply(args, context)),
  keys: (args, config) => withContext(config, (context) => keys(args, context)),
  customers: (args, config) => withContext(config, (context) => customers(args, context)),
  help: async () => {
    console.log(HELP)
    return 0
  },
}
