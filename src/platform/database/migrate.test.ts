import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { Database } from './database.ts'
import { migrate } from './migrate.ts'

let own: TestDatabase
let folder: { path: string } & AsyncDisposable

before(async () => {
  own = await testDatabase()
})
beforeEach(async () => {
  await own.database.query({ text: 'drop schema public cascade; create schema public' })
  folder = await temporaryFolder()
  await write('0001-notes.sql', 'create table note (id int); create index on note (id);')
  await write('0002-note-body.sql', 'alter table note add body text;')
})
afterEach(() => folder[Symbol.asyncDispose]())
after(() => own[Symbol.asyncDispose]())

test('what the database lacks is applied in order, once', async () => {
  assert.deepEqual(await migrated(), ['0001-notes.sql', '0002-note-body.sql'])
  assert.deepEqual(await migrated(), [])
  await write('0003-note-date.sql', 'alter table note add written_on date;')
  assert.deepEqual(await migrated(), ['0003-note-date.sql'])
})

test('processes that start at once apply each file once', async () => {
  await using other = new Database({
    connection: { connectionString: own.url },
    maxConnections: 2,
    onIdleError: () => {},
  })
  const both = await Promise.all([migrated(), migrate(other, folder.path), migrated()])
  assert.deepEqual(both.flat().sort(), ['0001-notes.sql', '0002-note-body.sql'])
})

test('a file that fails leaves nothing of itself and names itself', async () => {
  await write('0003-wrong.sql', 'create table half (id int); select 1/0;')
  await assert.rejects(migrated(), /^Error: 0003-wrong\.sql failed .* division by zero$/)
  const found = await own.database.query<{ half: string | null; note: string | null }>({
    text: `select to_regclass('half')::text as half, to_regclass('note')::text as note`,
  })
  assert.deepEqual(found, [{ half: null, note: 'note' }])
  await write('0003-wrong.sql', 'create table half (id int);')
  assert.deepEqual(await migrated(), ['0003-wrong.sql'])
})

test('a file changed after it was applied is an error', async () => {
  await migrated()
  await write('0001-notes.sql', 'create table note (id bigint);')
  await assert.rejects(migrated(), /0001-notes\.sql was changed after it was applied/)
})

test('a database that is newer than the program is an error', async () => {
  await migrated()
  await rm(join(folder.path, '0002-note-body.sql'))
  await assert.rejects(migrated(), /newer than this Posthouse: it has 0002-note-body\.sql/)
})

test('a file that comes before an applied one is an error', async () => {
  await rm(join(folder.path, '0001-notes.sql'))
  await write('0002-note-body.sql', 'create table note (id int);')
  await migrated()
  await write('0001-late.sql', 'select 1;')
  await assert.rejects(migrated(), /0001-late\.sql comes before 0002-note-body\.sql/)
})

test('two files of one number, or one without a number, are an error', async () => {
  await write('0002-again.sql', 'select 1;')
  await assert.rejects(migrated(), /have the same number/)
  await rm(join(folder.path, '0002-again.sql'))
  await write('later.sql', 'select 1;')
  await assert.rejects(migrated(), /later\.sql should be named like/)
})

test('a file may take longer than a transaction of the service may', async () => {
  await write(
    '0003-slow.sql',
    `select set_config('x.timeout', current_setting('transaction_timeout'), false);
    do $$ begin
      if current_setting('transaction_timeout') <> '0' then raise exception 'too short'; end if;
    end $$;`,
  )
  assert.equal((await migrated()).length, 3)
})

async function migrated(): Promise<string[]> {
  return migrate(own.database, folder.path)
}

async function write(name: string, sql: string): Promise<void> {
  await writeFile(join(folder.path, name), sql)
}
