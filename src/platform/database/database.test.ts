import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../../test/support/database-proxy.ts'
import { Database } from './database.ts'
import { UnknownCommit } from './open-transaction.ts'
import type { Sql, Statement } from './sql.ts'

let own: TestDatabase
before(async () => {
  own = await testDatabase()
  await own.database.query({
    text: 'create table note (id int primary key, body text unique deferrable initially deferred)',
  })
})
beforeEach(() => own.database.query({ text: 'truncate note' }))
after(() => own[Symbol.asyncDispose]())

test('a transaction that returns is committed', async () => {
  const result = await own.database.transaction(async (tx) => {
    await insert(tx, 1)
    return 'done'
  })
  assert.equal(result, 'done')
  assert.deepEqual(await ids(), [1])
})

test('a transaction that throws is rolled back', async () => {
  const work = own.database.transaction(async (tx) => {
    await insert(tx, 1)
    throw new Error('no')
  })
  await assert.rejects(work, /^Error: no$/)
  assert.deepEqual(await ids(), [])
})

test('statements sent without waiting, and the commit, need no answer in between', async () => {
  await using proxy = await startDatabaseProxy(own.address)
  await using database = through(proxy)
  await database.query({ text: 'select 1' })
  const release = proxy.holdAnswers()
  const work = database.transaction(async (tx) => {
    const statements = [insert(tx, 1), insert(tx, 2), insert(tx, 3)]
    await tx.commitWith(statements)
  })
  await until(() => proxy.sent().includes('commit'))
  release()
  await work
  assert.deepEqual(await ids(), [1, 2, 3])
})

test('one refused statement among several rolls all back and the first refusal is told', async () => {
  await using database = single()
  const backend = await backendOf(database)
  const work = database.transaction(async (tx) => {
    await tx.commitWith([insert(tx, 1), tx.query({ text: 'select 1/0' }), insert(tx, 2)])
  })
  await assert.rejects(work, { message: 'division by zero' })
  assert.deepEqual(await ids(), [])
  assert.equal(await backendOf(database), backend)
})

test('a refusal that nobody waits for rolls back and ends no process', async () => {
  await using database = single()
  const work = database.transaction(async (tx) => {
    void tx.query({ text: 'select 1/0' })
    void tx.query({ text: 'select 2/0' })
    void insert(tx, 1).catch(() => {})
  })
  await assert.rejects(work, { message: 'division by zero' })
  assert.deepEqual(await ids(), [])
})

test('a statement that fails while another one is awaited ends no process', async () => {
  const work = own.database.transaction(async (tx) => {
    const first = tx.query({ text: 'select 1/0' })
    const second = tx.query({ text: 'select * from nowhere' })
    await first
    await second
  })
  await assert.rejects(work, { message: 'division by zero' })
})

test('a refusal at the commit itself rolls back', async () => {
  const work = own.database.transaction(async (tx) => {
    await tx.commitWith([insert(tx, 1, 'same'), insert(tx, 2, 'same')])
  })
  await assert.rejects(work, { code: '23505' })
  assert.deepEqual(await ids(), [])
})

test('a value that cannot be written keeps the rest from being committed', async () => {
  await using database = single()
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const work = database.transaction(async (tx) => {
    const bad = tx.query({ text: 'select $1::json', values: [circular] })
    await tx.commitWith([insert(tx, 1), bad])
  })
  await assert.rejects(work, /circular/)
  assert.deepEqual(await ids(), [])
  await backendOf(database)
})

test('a statement name used for two texts keeps the rest from being committed', async () => {
  await using database = single()
  const work = database.transaction(async (tx) => {
    const one = tx.query({ name: 'n', text: 'select 1' })
    const two = tx.query({ name: 'n', text: 'select 2' })
    await tx.commitWith([insert(tx, 1), one, two])
  })
  await assert.rejects(work, /must be unique/)
  assert.deepEqual(await ids(), [])
})

test('a statement after the end is refused instead of running outside the transaction', async () => {
  const work = own.database.transaction(async (tx) => {
    await tx.commitWith([insert(tx, 1)])
    await insert(tx, 2)
  })
  await assert.rejects(work, /already ended/)
  assert.deepEqual(await ids(), [1])
})

for (const when of ['before', 'after'] as const) {
  test(`a connection lost ${when} the server got the commit is an unknown commit`, async () => {
    await using proxy = await startDatabaseProxy(own.address)
    await using database = through(proxy)
    // Connected first: the settings of a session speak of commits too.
    await database.query({ text: 'select 1' })
    proxy.cutAt('commit', when)
    const work = database.transaction(async (tx) => {
      await insert(tx, 1)
      await tx.commitWith([insert(tx, 2)])
    })
    await assert.rejects(work, UnknownCommit)
    await until(async () => (await ids()).length === (when === 'before' ? 0 : 2))
  })

  test(`a connection lost ${when} the server got a lone statement is an unknown commit`, async () => {
    await using proxy = await startDatabaseProxy(own.address)
    await using database = through(proxy)
    await database.query({ text: 'select 1' })
    proxy.cutAt('insert into', when)
    await assert.rejects(database.commit(insertion(1)), UnknownCommit)
    await until(async () => (await ids()).length === (when === 'before' ? 0 : 1))
  })
}

test('a connection lost before the commit is sent is not an unknown commit', async () => {
  await using database = single()
  const work = database.transaction(async (tx) => {
    await insert(tx, 1)
    await own.database.query({ text: 'select pg_terminate_backend($1)', values: [await pid(tx)] })
    await sleep(100)
    await tx.commitWith([])
  })
  await assert.rejects(work, (error) => !(error instanceof UnknownCommit))
  assert.deepEqual(await ids(), [])
  await backendOf(database)
})

test('an answer that cannot be used after the commit is an unknown commit', async () => {
  const work = own.database.transaction(async (tx) => {
    const misread = insert(tx, 1).then(() => Promise.reject(new Error('misread')))
    await tx.commitWith([misread])
  })
  await assert.rejects(work, UnknownCommit)
})

test('a refused statement outside a transaction leaves its connection usable', async () => {
  await using database = single()
  const backend = await backendOf(database)
  await assert.rejects(database.query({ text: 'select 1/0' }), { code: '22012' })
  assert.equal(await backendOf(database), backend)
})

test('a server that ends the connection of a statement is replaced by a new connection', async () => {
  await using database = single()
  const asleep = assert.rejects(database.query({ text: 'select pg_sleep(30), 17 as marker' }), {
    code: '57P01',
  })
  await until(async () => {
    const ended = await own.database.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
             where query like '%17 as marker%' and pid <> pg_backend_pid()`,
    })
    return ended.length > 0
  })
  await asleep
  await backendOf(database)
})

test('a statement that gets no answer in its time fails', async () => {
  await using database = single()
  const asleep = database.query({ text: 'select pg_sleep(30)', timeoutMs: 50 })
  await assert.rejects(asleep, /timeout/)
  await backendOf(database)
})

function single(): Database {
  return new Database({
    connection: { connectionString: own.url },
    maxConnections: 1,
    onIdleError: () => {},
  })
}

function through(proxy: DatabaseProxy): Database {
  const { user } = own.address
  return new Database({
    connection: { host: '127.0.0.1', port: proxy.port, user, database: own.name },
    maxConnections: 1,
    onIdleError: () => {},
  })
}

async function insert(sql: Sql, id: number, body = `note ${id}`): Promise<void> {
  await sql.query(insertion(id, body))
}

function insertion(id: number, body = `note ${id}`): Statement {
  return { text: 'insert into note (id, body) values ($1, $2)', values: [id, body] }
}

async function ids(): Promise<number[]> {
  const rows = await own.database.query<{ id: number }>({ text: 'select id from note order by id' })
  return rows.map((row) => row.id)
}

async function backendOf(database: Database): Promise<number> {
  return database.transaction((tx) => pid(tx))
}

async function pid(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })
  return row?.pid ?? 0
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5_000
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('it did not come true in time')
    await sleep(10)
  }
}
