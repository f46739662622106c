import type { Sql } from '#platform/database'

/** The first numbers of `count` fresh blocks. A sequence never gives them out again. */
export async function reserveIdBlocks(sql: Sql, count: number): Promise<number[]> {
  const rows = await sql.query<{ first: string }>({
    name: 'reserve-id-blocks',
    text: `select nextval('record_id') as first from generate_series(1, $1)`,
    values: [count],
  })
  return rows.map((row) => Number(row.first))
}
