import type { Sql } from '#platform/database'

/** A secret key as it may be shown again: without the key. */
export interface ListedKey {
  id: string
  endpoint: string
  /** Its last four characters. */
  hint: string
  createdAt: Date
  /** Null: live. */
  revokedAt: Date | null
}

export interface SealedKey {
  id: string
  endpoint: string
  sealed: Buffer
}

export async function insertKey(
  sql: Sql,
  key: { projectId: number; id: string; endpoint: string; sealed: Buffer; hint: string },
): Promise<void> {
  await sql.query({
    text: `insert into secret_key (project_id, id, endpoint, sealed, hint)
           values ($1, $2, $3, $4, $5)`,
    values: [key.projectId, key.id, key.endpoint, key.sealed, key.hint],
  })
}

export async function selectKeys(
  sql: Sql,
  { projectId, endpoint }: { projectId: number; endpoint: string },
): Promise<ListedKey[]> {
  const rows = await sql.query<{
    id: string
    endpoint: string
    hint: string
    created_at: Date
    revoked_at: Date | null
  }>({
    text: `select id, endpoint, hint, created_at, revoked_at
           from secret_key where project_id = $1 and endpoint = $2
           order by created_at, id`,
    values: [projectId, endpoint],
  })
  return rows.map((row) => ({
    id: row.id,
    endpoint: row.endpoint,
    hint: row.hint,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }))
}

export async function selectLiveKeys(sql: Sql, projectId: number): Promise<SealedKey[]> {
  return sql.query<SealedKey>({
    text: `select id, endpoint, sealed
           from secret_key where project_id = $1 and revoked_at is null
           order by created_at, id`,
    values: [projectId],
  })
}

export async function markRevoked(
  sql: Sql,
  { projectId, id }: { projectId: number; id: string },
): Promise<void> {
  await sql.query({
    text: 'update secret_key set revoked_at = now() where project_id = $1 and id = $2',
    values: [projectId, id],
  })
}
