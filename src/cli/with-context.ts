import { join } from 'node:path'
import type { Config } from '#config'
import { createLog } from '#platform/log'
import { loadMasterKey } from '#platform/secrets'
import type { CliContext } from './context.ts'
import { openDatabase } from './open-database.ts'

/** Runs a command that works on the database, also while the service runs. */
export async function withContext(
  config: Config,
  command: (context: CliContext) => Promise<number>,
): Promise<number> {
  const log = createLog({ level: 'warn', pretty: true })
  await using opened = await openDatabase(config, log, { mayShare: true })
  const masterKey = await loadMasterKey({
    value: config.masterKey,
    file: join(config.dataDir, 'master.key'),
  })
  return await command({
    database: opened.database,
    masterKey,
    out: (line) => console.log(line),
    err: (line) => console.error(line),
  })
}
