import type { Sql } from '#platform/database'

/** The rows of each table as PostgreSQL writes them. */
export type Dump = Map<string, string[]>

/**
 * Everything in the database, every partition of every table, whatever its schema. Not pg_dump, which
 * refuses a server newer than itself.
 */
export async function dumpDatabase(sql: Sql): Promise<Dump> {
  const dump: Dump = new Map()
  for (const { name } of await listTables(sql)) {
    dump.set(name, await readRows(sql, `select t::text as row from only ${name} t`))
  }
  return dump
}

/** What belongs to one project, in an order of its own, so that two dumps can be compared. */
export async function dumpProject(sql: Sql, projectId: number): Promise<Dump> {
  const dump: Dump = new Map()
  for (const { name, projectColumn } of await listTables(sql)) {
    if (projectColumn === null) continue
    const statement = `select t::text as row from only ${name} t where ${projectColumn} = $1 order by 1`
    dump.set(name, await readRows(sql, statement, [projectId]))
  }
  return dump
}

interface Table {
  name: string
  /** Null for a table that belongs to no project. */
  projectColumn: string | null
}

async function listTables(sql: Sql): Promise<Table[]> {
  return await sql.query<Table>({
    text: `select c.oid::regclass::text as name,
                  case when c.relname = 'project' then 'id'
                       when exists (select from pg_attribute a
                                     where a.attrelid = c.oid and a.attname = 'project_id')
                         then 'project_id' end as "projectColumn"
             from pg_class c
             join pg_namespace n on n.oid = c.relnamespace
            where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
            order by 1`,
  })
}

async function readRows(sql: Sql, text: string, values: unknown[] = []): Promise<string[]> {
  const rows = await sql.query<{ row: string }>({ text, values })
  return rows.map(({ row }) => row)
}
