import { parseArgs } from 'node:util'
import type { Config } from '#config'
import { createLog } from '#platform/log'
import { startPosthouse } from './compose.ts'
import { readPort } from './read-port.ts'
import { stopSignal } from './stop-signal.ts'

const HELP = `posthouse start [--port N] [--host H]

Runs the service until Ctrl-C or SIGTERM. Settings are environment variables (docs/operating.md):
POSTHOUSE_DATABASE_URL names a PostgreSQL server; without it one is started in POSTHOUSE_DATA_DIR.`

export async function start(args: string[], config: Config): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const port = readPort(values.port, config.port)
  const stop = stopSignal()
  const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY === true })
  await using posthouse = await startPosthouse(
    { ...config, port, host: values.host ?? config.host },
    log,
  )
  console.log(`Posthouse is ready on ${posthouse.address}`)
  await stop
  log.info({}, 'answering the requests under way, then stopping')
  return 0
}
