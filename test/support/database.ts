import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import type { Database } from '#platform/database'
import { settings } from './settings.ts'
import {
  connect,
  type ServerAddress,
  startTestServer,
  TEMPLATE_NAME,
  type TestServer,
  urlOf,
} from './test-server.ts'

/** A migrated, empty database that nobody else uses. */
export interface TestDatabase extends AsyncDisposable {
  database: Database
  name: string
  /** For a service or another pool. */
  url: string
  address: ServerAddress
}

/** The server of a file that is run by hand, and how many databases on it are in use. */
let own: { server: Promise<TestServer>; users: number } | null = null

export async function testDatabase(): Promise<TestDatabase> {
  const address = await borrowServer()
  const name = `test_${fileName()}_${randomBytes(4).toString('hex')}`
  await using control = connect(address, 'postgres', 1)
  await control.query({ text: `create database ${name} template ${TEMPLATE_NAME}` })
  const database = connect(address, name)
  return {
    database,
    name,
    url: urlOf(address, name),
    address,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await dropDatabase(address, name)
      await returnServer()
    },
  }
}

/** Forced, because a service that a test has killed may still be connected. */
async function dropDatabase(address: ServerAddress, name: string): Promise<void> {
  await using control = connect(address, 'postgres', 1)
  await control.query({ text: `drop database ${name} with (force)` })
}

async function borrowServer(): Promise<ServerAddress> {
  if (settings.sharedServer !== undefined) return JSON.parse(settings.sharedServer)
  own ??= { server: startTestServer(), users: 0 }
  own.users++
  const { address } = await own.server
  return address
}

async function returnServer(): Promise<void> {
  if (own === null) return
  own.users--
  if (own.users > 0) return
  const { server } = own
  own = null
  await (await server)[Symbol.asyncDispose]()
}

/** Says in the name of a database left behind whose it is. */
function fileName(): string {
  const file = basename(process.argv[1] ?? 'unknown', '.test.ts')
  return file.replace(/[^a-z0-9]/g, '_').slice(0, 40)
}
