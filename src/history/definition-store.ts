import type { Sql } from '#platform/database'
import { type Instant, isoOf } from './instant.ts'

export interface DefinitionRecord {
  table: string
  name: string
  id: string
  state: Record<string, unknown>
  createdAt: Instant
  changedAt: Instant
}

export async function loadDefinitionRecords(
  sql: Sql,
  projectId: number,
): Promise<DefinitionRecord[]> {
  return await sql.query<DefinitionRecord>({
    text: `select table_name as table, name, id, state,
                  micros(created_at) as "createdAt",
                  micros(changed_at) as "changedAt"
             from definition_record where project_id = $1`,
    values: [projectId],
  })
}

export async function saveDefinitionRecords(
  sql: Sql,
  projectId: number,
  records: DefinitionRecord[],
): Promise<void> {
  await sql.query({
    text: `insert into definition_record
             (project_id, table_name, name, id, state, created_at, changed_at)
           select $1, r.table_name, r.name, r.id, r.state, r.created_at, r.changed_at
             from unnest($2::text[], $3::text[], $4::bigint[], $5::jsonb[],
                         $6::timestamptz[], $7::timestamptz[])
               r (table_name, name, id, state, created_at, changed_at)
           on conflict (project_id, table_name, name) do update
             set state = excluded.state, changed_at = excluded.changed_at`,
    values: [
      projectId,
      records.map((record) => record.table),
      records.map((record) => record.name),
      records.map((record) => record.id),
      records.map((record) => JSON.stringify(record.state)),
      records.map((record) => isoOf(record.createdAt)),
      records.map((record) => isoOf(record.changedAt)),
    ],
  })
}

/** The numbers of a project's mailings, by name. */
export async function readMailingIds(sql: Sql, projectId: number): Promise<Map<string, string>> {
  const rows = await sql.query<{ name: string; id: string }>({
    name: 'read-mailing-ids',
    text: `select name, id from definition_record
            where project_id = $1 and table_name = 'Mailings.Mailings'`,
    values: [projectId],
  })
  return new Map(rows.map((row) => [row.name, row.id]))
}
