import { fileURLToPath } from 'node:url'
import { Database, migrate, startEmbedded } from '#platform/database'
import { temporaryFolder } from './temporary-folder.ts'

/** Where to connect, in a form that fits into an environment variable. */
export interface ServerAddress {
  socketFolder: string
  user: string
}

export interface TestServer extends AsyncDisposable {
  address: ServerAddress
  pid: number
}

/** A migrated database that every test's database is a copy of. */
export const TEMPLATE_NAME = 'test_template'

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))
/** Many files, each with a pool and a program of its own. */
const MAX_CONNECTIONS = '300'

/** A server whose data is thrown away, so that nothing waits for the disk. */
export async function startTestServer(): Promise<TestServer> {
  const folder = await temporaryFolder()
  const server = await startEmbedded({
    dataDir: folder.path,
    log: () => {},
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: MAX_CONNECTIONS },
  })
  const address = {
    socketFolder: String(server.connection.host),
    user: String(server.connection.user),
  }
  const stop = async () => {
    await server[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  }
  try {
    await makeTemplate(address)
  } catch (error) {
    await stop()
    throw error
  }
  return { address, pid: server.pid, [Symbol.asyncDispose]: stop }
}

export function connect(address: ServerAddress, name: string, maxConnections = 10): Database {
  return new Database({
    connection: { connectionString: urlOf(address, name) },
    maxConnections,
    onIdleError: () => {},
  })
}

/** What a service takes as POSTHOUSE_DATABASE_URL. */
export function urlOf(address: ServerAddress, name: string): string {
  const query = new URLSearchParams({ host: address.socketFolder, user: address.user })
  return `postgres:///${name}?${query}`
}

async function makeTemplate(address: ServerAddress): Promise<void> {
  await using control = connect(address, 'postgres', 1)
  await control.query({ text: `create database ${TEMPLATE_NAME}` })
  // Closed before it is copied: a template that somebody is connected to cannot be.
  await using template = connect(address, TEMPLATE_NAME, 1)
  await migrate(template, MIGRATIONS)
}
