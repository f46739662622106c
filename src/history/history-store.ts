import { jsonLines, plainArray, type Sql, type Write } from '#platform/database'
import type { Instant } from './instant.ts'

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
  const [row] = await sql.query<{ now: number }>({
    name: 'read-now',
    text: `select micros(writing_instant($1)) as now`,
    values: [projectId],
  })
  if (row === undefined) throw new Error('the clock of the database gave no instant')
  return row.now
}

export async function recordHistory(
  sql: Sql,
  projectId: number,
  rows: HistoryRow[],
): Promise<void> {
  if (rows.length > 0) await sql.query(historyWrite(projectId, rows))
}

export function historyWrite(projectId: number, rows: HistoryRow[]): Write {
  return {
    name: 'record-history',
    text: `insert into history (project_id, table_name, at, state)
           select $1, n.table_name, instant(n.at), n.state::json
             from unnest($2::text[], $3::bigint[], string_to_array($4, E'\\n'))
               n (table_name, at, state)`,
    values: [
      projectId,
      plainArray(rows.map((row) => row.table)),
      plainArray(rows.map((row) => row.at)),
      jsonLines(rows.map((row) => row.state)),
    ],
  }
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
              set state = (state::jsonb || case table_name
                when 'CDP.Customers' then
                  '{"email": null, "mobilePhone": null, "lastName": null, "firstName": null,
                    "birthDate": null}'::jsonb
                when 'CDP.ExternalCustomerIdsHistory' then '{"value": null}'::jsonb
                else '{"value": null, "encryptedValue": null}'::jsonb end)::json
            where project_id = $1
              and ((table_name = 'CDP.Customers' and state ->> 'id' = any ($2::text[]))
                or (table_name in ('CDP.ExternalCustomerIdsHistory', 'CDP.CustomerCustomFields')
                    and state ->> 'unmergedCustomerId' = any ($2::text[])))`,
    values: [projectId, customerIds],
  })
}
