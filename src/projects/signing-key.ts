import { randomBytes } from 'node:crypto'
import type { Sql } from '#platform/database'
import { open, seal } from '#platform/secrets'
import { insertProjectSecret, selectProjectSecret } from './project-store.ts'

/** Signs the tickets in secret links, so that they hold whatever happens to endpoints' keys. */
const NAME = 'ticket-signing'
const SIZE_BYTES = 32

export async function makeSigningKey(
  tx: Sql,
  { projectId, masterKey }: { projectId: number; masterKey: Buffer },
): Promise<void> {
  const key = randomBytes(SIZE_BYTES).toString('base64')
  const sealed = seal(masterKey, key, contextOf(projectId))
  await insertProjectSecret(tx, { projectId, name: NAME, sealed })
}

export async function readSigningKey(
  sql: Sql,
  { projectId, masterKey }: { projectId: number; masterKey: Buffer },
): Promise<Buffer> {
  const sealed = await selectProjectSecret(sql, { projectId, name: NAME })
  if (sealed === undefined) throw new Error(`project ${projectId} has no signing key`)
  return Buffer.from(open(masterKey, sealed, contextOf(projectId)), 'base64')
}

function contextOf(projectId: number): string {
  return `project-secret/${projectId}/${NAME}`
}
