import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type FastifyInstance, fastify } from 'fastify'
import { addOperationsApi, answerUnreadableAddress } from '#api'
import type { Config } from '#config'
import { PasswordHasher } from '#customers'
import { prepareHistory } from '#history'
import { AcceptQueue, forgetTransactions, Lanes } from '#operations'
import type { Database } from '#platform/database'
import type { Log } from '#platform/log'
import { loadMasterKey } from '#platform/secrets'
import { ProjectRegistry } from '#projects'
import { addHealth } from './health.ts'
import { every } from './housekeeping.ts'
import { HISTORY_DAYS_AHEAD, openDatabase } from './open-database.ts'

/** A running Posthouse. Disposing finishes what was accepted and stops. */
export interface Posthouse extends AsyncDisposable {
  address: string
  database: Database
  masterKey: Buffer
  registry: ProjectRegistry
}

const MAX_SYNC_WAIT_MS = 10_000
const HOUR_MS = 3_600_000
const FORGOTTEN_AT_ONCE = 10_000
/** A peer that sends its request slower than this is hung up on. */
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 72_000
/** Of the ten seconds a stop may take. */
const FINISH_REQUESTS_MS = 5_000

/** Puts the parts together, from the ground up. */
export async function startPosthouse(config: Config, log: Log): Promise<Posthouse> {
  await using stack = new AsyncDisposableStack()
  const { database } = stack.use(await openDatabase(config, log, { mayShare: false }))
  const masterKey = await loadMasterKey({
    value: config.masterKey,
    file: join(config.dataDir, 'master.key'),
  })
  const registry = stack.use(
    await ProjectRegistry.start({
      database,
      masterKey,
      onError: (error) => log.error({ error }, 'the projects could not be read again'),
    }),
  )
  stack.use(startHousekeeping(config, { database, registry, log }))
  const lanes = stack.use(
    new Lanes({
      database,
      project: (id) => registry.project(id),
      onFault: (error, what) => log.error({ error }, what),
      maxSyncWaitMs: MAX_SYNC_WAIT_MS,
    }),
  )
  const acceptQueue = new AcceptQueue(database, (projectId) => lanes.wake(projectId))
  const server = createServer(config, log)
  stack.defer(() => close(server))
  addHealth(server, { database, acceptQueue, lanes })
  addOperationsApi(server, {
    registry,
    database,
    log,
    acceptQueue,
    lanes,
    hasher: new PasswordHasher(),
    now: () => new Date(),
    baseUrl: () => config.baseUrl ?? addressOf(server, config),
    isRateLimited: config.isRateLimited,
  })
  await server.listen({ host: config.host, port: config.port })
  const moved = stack.move()
  return {
    address: addressOf(server, config),
    database,
    masterKey,
    registry,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

function createServer(config: Config, log: Log): FastifyInstance {
  const server = fastify({
    frameworkErrors: answerUnreadableAddress(log),
    trustProxy: config.trustProxy,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Idle connections are closed at once, requests under way are finished.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  server.setNotFoundHandler((_, reply) =>
    reply.code(404).type('text/plain').send('there is nothing at this address\n'),
  )
  return server
}

/**
 * Answers what is under way. A connection whose answer comes after this is not kept, or an idle caller
 * would hold up the end.
 */
async function close(server: FastifyInstance): Promise<void> {
  server.server.keepAliveTimeout = 1
  server.server.keepAliveTimeoutBuffer = 1
  // A caller who does not finish its request is not waited for to the end.
  const timer = setTimeout(() => server.server.closeAllConnections(), FINISH_REQUESTS_MS)
  await server.close()
  clearTimeout(timer)
}

function addressOf(server: FastifyInstance, config: Config): string {
  const bound = server.server.address() as AddressInfo | null
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${bound?.port ?? config.port}`
}

function startHousekeeping(
  config: Config,
  parts: { database: Database; registry: ProjectRegistry; log: Log },
): AsyncDisposable {
  const { database, registry, log } = parts
  return every(HOUR_MS, {
    work: async () => {
      await prepareHistory(database, HISTORY_DAYS_AHEAD)
      for (const project of registry.projects()) {
        const limits = { days: config.transactionDays, maxRows: FORGOTTEN_AT_ONCE }
        while ((await forgetTransactions(database, project.id, limits)) === limits.maxRows);
      }
    },
    onFault: (error) => log.error({ error }, 'housekeeping failed and is tried again in an hour'),
  })
}
