import { commands } from './cli/commands.ts'
import { readConfig } from './config.ts'

const [name = 'help', ...args] = process.argv.slice(2)
process.exitCode = await run(name, args)

async function run(name: string, args: string[]): Promise<number> {
  const config = readConfig()
  if (config.kind === 'wrong') {
    for (const problem of config.problems) console.error(problem)
    return 2
  }
  const command = commands[name] ?? commands[name.replace(/^--?/, '')]
  if (command === undefined) {
    console.error(`There is no command ${name}. See posthouse help.`)
    return 2
  }
  try {
    return await command(args, config.config)
  } catch (error) {
    console.error(explain(error))
    return isMisunderstood(error) ? 2 : 1
  }
}

/** What a person needs; the whole of it where it would be a bug of ours. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  if (code === 'EADDRINUSE') return `${error.message}. Choose another port with --port.`
  if (isMisunderstood(error)) return error.message
  if (error instanceof TypeError || error instanceof ReferenceError) return error.stack ?? ''
  const cause = error.cause === undefined ? '' : `\n  because: ${explain(error.cause)}`
  return `${error.message}${cause}`
}

function isMisunderstood(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS')
}
