import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { recordDefinition } from '#history'
import type { Database } from '#platform/database'
import { makeKey, ProjectRegistry, readProjectFolder, storeRevision } from '#projects'
import { type TestDatabase, testDatabase } from './database.ts'
import { type RunningService, startService } from './processes.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { WIDE_SHOP, wideShopFiles } from './wide-shop-files.ts'
import { type Conversation, conversation } from './wire.ts'

/** A service of its own with the project that has every setting, and how to talk to it. */
export interface WideShop extends Conversation, AsyncDisposable {
  database: Database
  service: RunningService
  projectId: number
  /** Of each endpoint, by its name. */
  keys: Record<Endpoint, string>
  signingKey: Buffer
}

const ENDPOINTS = ['website', 'app', 'till', 'kiosk'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

const MASTER_KEY = Buffer.alloc(32, 9)

export async function startWideShop(
  options: { databaseUrl?: (own: TestDatabase) => Promise<string>; isRateLimited?: boolean } = {},
): Promise<WideShop> {
  await using stack = new AsyncDisposableStack()
  const own = stack.use(await testDatabase())
  const { database } = own
  const projectId = await putInForce(database, wideShopFiles())
  const keys = await makeKeys(database)
  const signingKey = await signingKeyOf(database, projectId)
  const databaseUrl = (await options.databaseUrl?.(own)) ?? own.url
  const env = {
    POSTHOUSE_MASTER_KEY: MASTER_KEY.toString('base64'),
    POSTHOUSE_RATE_LIMITS: options.isRateLimited === false ? 'off' : 'on',
  }
  const service = stack.use(await startService({ databaseUrl, env }))
  const moved = stack.move()
  return {
    ...conversation({ baseUrl: service.baseUrl, project: WIDE_SHOP, keys }),
    database,
    service,
    projectId,
    keys,
    signingKey,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** Applies a project folder with these files, as `posthouse apply` does. Gives the project's id. */
export async function putInForce(
  database: Database,
  files: Record<string, string>,
): Promise<number> {
  await using folder = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), text)
  }
  const reading = await readProjectFolder(folder.path)
  if (reading.kind === 'invalid') throw new Error(JSON.stringify(reading.problems, null, 2))
  const { definition } = reading
  return await database.transaction(async (transaction) => {
    const { projectId } = await storeRevision(transaction, definition, MASTER_KEY)
    await recordDefinition(transaction, projectId, definition)
    return projectId
  })
}

export async function newKey(
  database: Database,
  endpointId: string,
): Promise<{ id: string; value: string }> {
  const made = await database.transaction((transaction) =>
    makeKey(transaction, { endpointId, masterKey: MASTER_KEY }),
  )
  if (made.kind !== 'made') throw new Error(`no key for ${endpointId}: ${made.kind}`)
  return made.key
}

async function makeKeys(database: Database): Promise<Record<Endpoint, string>> {
  const keys: Partial<Record<Endpoint, string>> = {}
  for (const name of ENDPOINTS) keys[name] = (await newKey(database, `${WIDE_SHOP}.${name}`)).value
  return keys as Record<Endpoint, string>
}

export async function signingKeyOf(database: Database, projectId: number): Promise<Buffer> {
  const onError = (error: unknown) => {
    throw error
  }
  await using registry = await ProjectRegistry.start({ database, masterKey: MASTER_KEY, onError })
  const project = registry.project(projectId)
  if (project === undefined) throw new Error(`there is no project ${projectId}`)
  return project.signingKey
}
