import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from './database.ts'
import type { Sql } from './sql.ts'

interface Migration {
  name: string
  sql: string
  checksum: string
}

/** Any number will do that nothing else locks: the bytes of "post". */
const LOCK_KEY = 0x706f7374
/** Building an index over years of history takes longer than any transaction of ours may. */
const MIGRATION_TIMEOUT_MS = 3_600_000

/**
 * Applies what the database lacks, each file in a transaction of its own, and resolves to their names.
 * Processes that start at the same moment take turns.
 */
export async function migrate(database: Database, folder: string): Promise<string[]> {
  const migrations = await readMigrations(folder)
  await inTurn(database, async (sql) => {
    await createRecord(sql)
    refuseUnknown(await readRecord(sql), migrations)
  })
  const applied: string[] = []
  for (const migration of migrations) {
    const isNew = await inTurn(database, async (sql) => {
      const recorded = await readRecord(sql)
      if (isApplied(migration, recorded)) return false
      await apply(sql, migration)
      return true
    })
    if (isNew) applied.push(migration.name)
  }
  return applied
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const name of names) {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name)) {
      throw new Error(`${name} should be named like 0001-what-it-does.sql`)
    }
    const previous = migrations.at(-1)
    if (previous?.name.slice(0, 4) === name.slice(0, 4)) {
      throw new Error(`${previous.name} and ${name} have the same number`)
    }
    const sql = await readFile(join(folder, name), 'utf8')
    migrations.push({ name, sql, checksum: createHash('sha256').update(sql).digest('hex') })
  }
  return migrations
}

async function inTurn<T>(database: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (transaction) => {
    await transaction.query({ text: 'set local transaction_timeout = 0' })
    await transaction.query({ text: `set local lock_timeout = ${MIGRATION_TIMEOUT_MS}` })
    await transaction.query({
      text: 'select pg_advisory_xact_lock($1)',
      values: [LOCK_KEY],
      timeoutMs: MIGRATION_TIMEOUT_MS,
    })
    return work(transaction)
  })
}

async function createRecord(sql: Sql): Promise<void> {
  await sql.query({
    text: `create table if not exists schema_migration (
             name       text primary key,
             checksum   text not null,
             applied_at timestamptz not null default now()
           )`,
  })
}

async function readRecord(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql.query<{ name: string; checksum: string }>({
    text: 'select name, checksum from schema_migration',
  })
  return new Map(rows.map((row) => [row.name, row.checksum]))
}

function refuseUnknown(recorded: Map<string, string>, migrations: Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...recorded.keys()].filter((name) => !known.has(name)).sort()
  if (unknown.length === 0) return
  throw new Error(
    `the database is newer than this Posthouse: it has ${unknown.join(', ')}, ` +
      'which is not known here. Start the version that made it, or a later one.',
  )
}

function isApplied(migration: Migration, recorded: Map<string, string>): boolean {
  const checksum = recorded.get(migration.name)
  if (checksum === migration.checksum) return true
  if (checksum !== undefined) {
    throw new Error(
      `${migration.name} was changed after it was applied to this database. ` +
        'Restore the file and put the change into a new one.',
    )
  }
  const later = [...recorded.keys()].sort().find((name) => name > migration.name)
  if (later === undefined) return false
  throw new Error(`${migration.name} comes before ${later}, which is applied: give it a new number`)
}

async function apply(sql: Sql, migration: Migration): Promise<void> {
  try {
    await sql.query({ text: migration.sql, timeoutMs: MIGRATION_TIMEOUT_MS })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${migration.name} failed and was rolled back: ${reason}`, { cause })
  }
  await sql.query({
    text: 'insert into schema_migration (name, checksum) values ($1, $2)',
    values: [migration.name, migration.checksum],
  })
}
