import { fileURLToPath } from 'node:url'
import { recordDefinition } from '#history'
import type { Database } from '#platform/database'
import {
  makeKey,
  type ProjectDefinition,
  ProjectRegistry,
  readProjectFolder,
  storeRevision,
} from '#projects'
import { type RunningService, type ServiceOptions, startService } from './processes.ts'

/** A project in force with a key for its web site. */
export interface Shop {
  projectId: number
  name: string
  endpointId: string
  secretKey: string
}

const DEMO_SHOP = fileURLToPath(new URL('../../examples/demo-shop', import.meta.url))
const MASTER_KEY = Buffer.alloc(32, 5)

/** What a service needs to open the secrets of a shop, and no limit on how fast a test calls it. */
export const shopEnvironment = {
  POSTHOUSE_MASTER_KEY: MASTER_KEY.toString('base64'),
  POSTHOUSE_RATE_LIMITS: 'off',
}

/** Puts the demo shop, or a variation of it, in force. Before a service starts, or it takes a moment. */
export async function openShop(
  database: Database,
  change: (definition: ProjectDefinition) => ProjectDefinition = (definition) => definition,
): Promise<Shop> {
  const reading = await readProjectFolder(DEMO_SHOP)
  if (reading.kind === 'invalid') throw new Error('the demo shop has problems')
  const definition = change(reading.definition)
  const projectId = await database.transaction(async (tx) => {
    const stored = await storeRevision(tx, definition, MASTER_KEY)
    await recordDefinition(tx, stored.projectId, definition)
    return stored.projectId
  })
  const endpointId = `${definition.name}.website`
  return {
    projectId,
    name: definition.name,
    endpointId,
    secretKey: await newSecretKey(database, endpointId),
  }
}

export async function newSecretKey(database: Database, endpointId: string): Promise<string> {
  const made = await database.transaction((tx) =>
    makeKey(tx, { endpointId, masterKey: MASTER_KEY }),
  )
  if (made.kind !== 'made') throw new Error(`no key for ${endpointId}: ${made.kind}`)
  return made.key.value
}

/** The key under which the service signs the shop's secret links. */
export async function signingKeyOf(database: Database, shop: Shop): Promise<Buffer> {
  await using registry = await ProjectRegistry.start({
    database,
    masterKey: MASTER_KEY,
    onError: () => {},
  })
  const project = registry.project(shop.projectId)
  if (project === undefined) throw new Error(`there is no project ${shop.name}`)
  return project.signingKey
}

export async function startShopService(options: ServiceOptions): Promise<RunningService> {
  return await startService({ ...options, env: { ...shopEnvironment, ...options.env } })
}
