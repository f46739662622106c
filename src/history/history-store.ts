import type { Sql } from '#platform/database'
import { type Instant, isoOf } from './instant.ts'

/** One state of one published record, with the columns of its table. */
export interface HistoryRow {
  table: string
  at: Instant
  state: object
}

/**
 * The instant for what this transaction is about to write: never before the last cut, so that a day
 * once published stays closed.
 */
export async function readNow(sql: Sql, projectId: number): Promise<Instant> {
  const [row] = await sql.query<{ now_us: string }>({
    name: 'read-now',
    text: `select (extract(epoch from greatest(wall_clock(), max(cut_at))) * 1000000)::bigint as now_us
             from history_cut where project_id = $1`,
    values: [projectId],
  })
  return Number(row?.now_us)
}

export async function recordHistory(
  sql: Sql,
  projectId: number,
  rows: HistoryRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query({
    name: 'record-history',
    text: `insert into history (project_id, table_name, at, state)
           select $1, r.table_name, r.at, r.state
             from unnest($2::text[], $3::timestamptz[], $4::jsonb[]) r (table_name, at, state)`,
    values: [
      projectId,
      rows.map((row) => row.table),
      rows.map((row) => isoOf(row.at)),
      rows.map((row) => JSON.stringify(row.state)),
    ],
  })
}

/** Makes the partitions of the coming days. */
export async function prepareHistory(sql: Sql, days: number): Promise<number> {
  const [row] = await sql.query<{ made: number }>({
    text: `select prepare_history((wall_clock() at time zone 'UTC')::date, $1) as made`,
    values: [days],
  })
  return row?.made ?? 0
}

/**
 * Clears the personal columns of what the history still holds about customers. Files that were
 * published are not touched by it.
 */
export async function eraseHistory(
  sql: Sql,
  projectId: number,
  customerIds: string[],
): Promise<void> {
  await sql.query({
    text: `update history
              set state = state || case table_name
                when 'CDP.Customers' then
                  '{"email": null, "mobilePhone": null, "lastName": null, "firstName": null,
                    "birthDate": null}'::jsonb
                when 'CDP.ExternalCustomerIdsHistory' then '{"value": null}'::jsonb
                else '{"value": null, "encryptedValue": null}'::jsonb end
            where project_id = $1
              and ((table_name = 'CDP.Customers' and state ->> 'id' = any ($2::text[]))
                or (table_name in ('CDP.ExternalCustomerIdsHistory', 'CDP.CustomerCustomFields')
                    and state ->> 'unmergedCustomerId' = any ($2::text[])))`,
    values: [projectId, customerIds],
  })
}
