import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '#platform/database'
import { testDatabase } from '../../test/support/database.ts'
import { aDefinition } from './definition-fixture.ts'
import { findKey, type Project } from './project.ts'
import { ProjectRegistry, type RegistryOptions } from './registry.ts'
import { makeKey, revokeKey } from './secret-keys.ts'
import { storeRevision } from './store-revision.ts'

const masterKey = randomBytes(32)
const endpointId = 'corner-shop.website'
/** So seldom that only `refresh` does anything in a test. */
const NEVER_MS = 600_000
const DEADLINE_MS = 10_000

function store(database: Database, changes = {}) {
  return database.transaction((tx) => storeRevision(tx, aDefinition(changes), masterKey))
}

async function makeOneKey(database: Database) {
  const outcome = await database.transaction((tx) => makeKey(tx, { endpointId, masterKey }))
  assert.ok(outcome.kind === 'made')
  return outcome.key
}

function start(database: Database, options: Partial<RegistryOptions> = {}) {
  const onError = (error: unknown) => assert.fail(error as Error)
  return ProjectRegistry.start({ database, masterKey, pollMs: NEVER_MS, onError, ...options })
}

test('it starts with every project, its live keys and its signing key', async () => {
  await using place = await testDatabase()
  const { database } = place
  const { projectId } = await store(database)
  await store(database, { name: 'other-shop' })
  const key = await makeOneKey(database)
  await using registry = await start(database)
  assert.deepEqual([...registry.projects()].map(({ name }) => name).sort(), [
    'corner-shop',
    'other-shop',
  ])
  const endpoint = registry.endpoint(endpointId)
  assert.ok(endpoint)
  assert.equal(endpoint.project, registry.project(projectId))
  assert.equal(findKey(endpoint, key.value)?.id, key.id)
  const other = registry.endpoint('other-shop.website')
  assert.ok(other)
  assert.equal(findKey(other, key.value), undefined)
  assert.equal(endpoint.project.signingKey.length, 32)
  assert.notDeepEqual(endpoint.project.signingKey, other.project.signingKey)
  assert.equal(registry.endpoint('corner-shop.nothing'), undefined)
})

test('changes elsewhere are noticed without being asked', async () => {
  await using place = await testDatabase()
  const { database } = place
  await store(database)
  const changes: string[][] = []
  const onChange = (changed: Project[]) => changes.push(changed.map(({ name }) => name))
  await using registry = await start(database, { pollMs: 10, onChange })
  await store(database, { title: 'New title' })
  await until(() => registry.endpoint(endpointId)?.project.definition.title === 'New title')
  await store(database, { name: 'other-shop' })
  await until(() => registry.endpoint('other-shop.website') !== undefined)
  assert.deepEqual(changes, [['corner-shop'], ['other-shop']])
})

test('a refresh takes in keys made and revoked, dropped endpoints and lost projects', async () => {
  await using place = await testDatabase()
  const { database } = place
  const { projectId } = await store(database)
  await using registry = await start(database)
  const before = registry.project(projectId)
  await registry.refresh()
  assert.equal(registry.project(projectId), before)
  const key = await makeOneKey(database)
  await registry.refresh()
  assert.deepEqual(
    registry.endpoint(endpointId)?.keys.map(({ id }) => id),
    [key.id],
  )
  await database.transaction((tx) => revokeKey(tx, { endpointId, keyId: key.id }))
  await registry.refresh()
  assert.deepEqual(registry.endpoint(endpointId)?.keys, [])
  await store(database, { endpoints: [] })
  await registry.refresh()
  assert.equal(registry.endpoint(endpointId), undefined)
  await database.query({ text: 'truncate project cascade' })
  await registry.refresh()
  assert.deepEqual([...registry.projects()], [])
})

test('looks follow one another, and one that begins after the call serves all who asked', async () => {
  await using place = await testDatabase()
  const { database } = place
  await store(database)
  await using registry = await start(database)
  const looks = watchLooks(database)
  const early = registry.refresh()
  await until(() => looks.begun === 1)
  await store(database, { title: 'Later' })
  await Promise.all([registry.refresh(), registry.refresh(), early])
  assert.equal(registry.endpoint(endpointId)?.project.definition.title, 'Later')
  assert.deepEqual(looks, { begun: 2, underWay: 0, mostAtOnce: 1 })
})

/** Counts the looks at the versions, and makes each last long enough to be overtaken. */
function watchLooks(database: Database) {
  const looks = { begun: 0, underWay: 0, mostAtOnce: 0 }
  const send: Database['query'] = database.query.bind(database)
  database.query = async (statement) => {
    if (statement.name !== 'project-versions') return send(statement)
    looks.begun++
    looks.mostAtOnce = Math.max(looks.mostAtOnce, ++looks.underWay)
    const rows = await send<never>(statement)
    await wait(100)
    looks.underWay--
    return rows
  }
  return looks
}

test('when the database fails, the last state stays and the error is reported', async () => {
  await using place = await testDatabase()
  const { database } = place
  const { projectId } = await store(database)
  const errors: unknown[] = []
  await using registry = await start(database, { onError: (error) => errors.push(error) })
  await database.query({ text: 'alter table project rename to project_away' })
  await registry.refresh()
  assert.equal(errors.length, 1)
  assert.equal(registry.project(projectId)?.name, 'corner-shop')
  await database.query({ text: 'alter table project_away rename to project' })
  await store(database, { title: 'Back' })
  await registry.refresh()
  assert.equal(errors.length, 1)
  assert.equal(registry.project(projectId)?.definition.title, 'Back')
})

test('one project that cannot be read does not stop the news of another', async () => {
  await using place = await testDatabase()
  const { database } = place
  const { projectId } = await store(database)
  await store(database, { name: 'other-shop' })
  const errors: unknown[] = []
  await using registry = await start(database, { onError: (error) => errors.push(error) })
  await database.query({
    text: `update project_secret set sealed = 'broken' where project_id = $1`,
    values: [projectId],
  })
  await store(database, { title: 'Unreadable' })
  await store(database, { name: 'other-shop', title: 'Readable' })
  await registry.refresh()
  assert.equal(errors.length, 1)
  assert.match(String(errors[0]), /corner-shop/)
  assert.equal(registry.endpoint(endpointId)?.project.definition.title, 'Corner shop')
  assert.equal(registry.endpoint('other-shop.website')?.project.definition.title, 'Readable')
})

test('a wrong master key fails the start', async () => {
  await using place = await testDatabase()
  await store(place.database)
  await assert.rejects(start(place.database, { masterKey: randomBytes(32) }), /corner-shop/)
})

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS
  while (!isTrue()) {
    assert.ok(Date.now() < deadline, 'it did not happen in time')
    await wait(5)
  }
}
