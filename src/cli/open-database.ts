import { fileURLToPath } from 'node:url'
import type { Config } from '#config'
import { prepareHistory } from '#history'
import { Database, findEmbedded, isUnavailable, migrate, startEmbedded } from '#platform/database'
import type { Log } from '#platform/log'

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))
const MAX_CONNECTIONS = 16
export const HISTORY_DAYS_AHEAD = 7

export interface OpenDatabase extends AsyncDisposable {
  database: Database
}

/**
 * The database the operator named, or one of our own in the data directory: that of a running
 * Posthouse if there is one and `mayShare` allows it.
 */
export async function openDatabase(
  config: Config,
  log: Log,
  options: { mayShare: boolean },
): Promise<OpenDatabase> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(
    new Database({
      connection: await connectionFor(config, log, options, stack),
      maxConnections: MAX_CONNECTIONS,
      onIdleError: (error) => log.warn({ error }, 'an idle database connection was lost'),
    }),
  )
  const applied = await migrate(database, MIGRATIONS).catch((cause: unknown) => {
    throw explained(cause, config)
  })
  if (applied.length > 0) log.info({ migrations: applied }, 'the database schema is up to date')
  await prepareHistory(database, HISTORY_DAYS_AHEAD)
  const moved = stack.move()
  return { database, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

/** A wrong address shows itself as a connection that fails, which says nothing to the operator. */
function explained(cause: unknown, { databaseUrl }: Config): unknown {
  if (databaseUrl === undefined || !isUnavailable(cause)) return cause
  return new Error('the database cannot be reached; is POSTHOUSE_DATABASE_URL right?', { cause })
}

async function connectionFor(
  config: Config,
  log: Log,
  options: { mayShare: boolean },
  stack: AsyncDisposableStack,
) {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl }
  const { dataDir } = config
  const running = options.mayShare ? await findEmbedded(dataDir) : null
  if (running !== null) return running
  const embedded = stack.use(
    await startEmbedded({ dataDir, log: (line) => log.info({ from: 'postgresql' }, line) }),
  )
  return embedded.connection
}
