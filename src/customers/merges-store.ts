import { isoOf } from '#history'
import type { Sql } from '#platform/database'
import type { Merge } from './workspace.ts'

export async function insertMerges(sql: Sql, projectId: number, merges: Merge[]): Promise<void> {
  await sql.query({
    text: `insert into customer_merge (project_id, absorbed_id, survivor_id, at)
           select $1, n.absorbed_id, n.survivor_id, n.at
             from unnest($2::bigint[], $3::bigint[], $4::timestamptz[])
               n (absorbed_id, survivor_id, at)`,
    values: [projectId, ...mergeColumns(merges)],
  })
}

/** Whoever was absorbed into a customer that is now absorbed itself points at the one alive. */
export async function redirectMerges(sql: Sql, projectId: number, merges: Merge[]): Promise<void> {
  await sql.query({
    text: `with redirected as (
             update customer_merge m
                set survivor_id = n.survivor_id,
                    at = greatest(n.at, m.at + interval '1 microsecond')
               from unnest($2::bigint[], $3::bigint[], $4::timestamptz[])
                 n (absorbed_id, survivor_id, at)
              where m.project_id = $1 and m.survivor_id = n.absorbed_id
              returning m.absorbed_id, m.survivor_id, m.at)
           insert into history (project_id, table_name, at, state)
           select $1, 'CDP.MergedCustomers', at, json_build_object(
                    'unmergedCustomerId', absorbed_id::text, 'mergedCustomerId', survivor_id::text,
                    'dateTimeUtc', at, '_isDeleted', false)
             from redirected`,
    values: [projectId, ...mergeColumns(merges)],
  })
}

/** Devices of absorbed customers that the batch did not name move too. */
export async function redirectDevices(
  sql: Sql,
  projectId: number,
  merges: Merge[],
  namedUuids: string[],
): Promise<void> {
  await sql.query({
    text: `with redirected as (
             update customer_device d
                set customer_id = n.survivor_id,
                    last_seen_at = greatest(n.at, d.last_seen_at + interval '1 microsecond')
               from unnest($2::bigint[], $3::bigint[], $4::timestamptz[])
                 n (absorbed_id, survivor_id, at)
              where d.project_id = $1 and d.customer_id = n.absorbed_id
                and d.device_uuid <> all ($5::uuid[])
              returning d.device_uuid, d.customer_id, d.first_seen_at, d.last_seen_at)
           insert into history (project_id, table_name, at, state)
           select $1, 'CDP.CustomerDevices', last_seen_at, json_build_object(
                    'deviceUUID', device_uuid, 'unmergedCustomerId', customer_id::text,
                    'firstSeenDateTimeUtc', first_seen_at, 'lastSeenDateTimeUtc', last_seen_at,
                    '_isDeleted', false)
             from redirected`,
    values: [projectId, ...mergeColumns(merges), namedUuids],
  })
}

function mergeColumns(merges: Merge[]): string[][] {
  return [
    merges.map((merge) => merge.absorbedId),
    merges.map((merge) => merge.survivorId),
    merges.map((merge) => isoOf(merge.at)),
  ]
}
