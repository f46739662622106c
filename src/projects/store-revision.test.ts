import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import type { ProjectDefinition } from './definition.ts'
import { aDefinition } from './definition-fixture.ts'
import { selectProject, selectVersions } from './project-store.ts'
import { readSigningKey } from './signing-key.ts'
import { storeRevision } from './store-revision.ts'

const masterKey = randomBytes(32)

test('the first revision creates the project, its lane and its signing key', async () => {
  await using place = await testDatabase()
  const { database } = place
  const definition = aDefinition()
  const stored = await database.transaction((tx) => storeRevision(tx, definition, masterKey))
  const { projectId } = stored
  assert.deepEqual(stored, { projectId, revision: 1, isNew: true, changed: true })
  assert.deepEqual(await selectProject(database, projectId), {
    id: projectId,
    name: 'corner-shop',
    revision: 1,
    version: 1n,
    definition,
  })
  const lanes = await database.query({ text: 'select project_id from lane' })
  assert.deepEqual(lanes, [{ project_id: projectId }])
  assert.equal((await readSigningKey(database, { projectId, masterKey })).length, 32)
  await assert.rejects(readSigningKey(database, { projectId, masterKey: randomBytes(32) }))
})

test('the same definition again is no new revision, a different one is', async () => {
  await using place = await testDatabase()
  const { database } = place
  const store = (definition: ProjectDefinition) =>
    database.transaction((tx) => storeRevision(tx, definition, masterKey))
  const { projectId } = await store(aDefinition())
  const reordered = Object.fromEntries(Object.entries(aDefinition()).reverse())
  assert.deepEqual(await store(reordered as unknown as ProjectDefinition), {
    projectId,
    revision: 1,
    isNew: false,
    changed: false,
  })
  assert.deepEqual(await selectVersions(database), new Map([[projectId, 1n]]))
  const changed = await store(aDefinition({ title: 'Shop on the corner' }))
  assert.deepEqual(changed, { projectId, revision: 2, isNew: false, changed: true })
  assert.deepEqual(await selectVersions(database), new Map([[projectId, 2n]]))
  const back = await store(aDefinition())
  assert.equal(back.revision, 3)
  const kept = await database.query<{ title: string }>({
    text: `select definition ->> 'title' as title from project_revision order by revision`,
  })
  assert.deepEqual(
    kept.map(({ title }) => title),
    ['Corner shop', 'Shop on the corner', 'Corner shop'],
  )
})

test('many at once follow one another', async () => {
  await using place = await testDatabase()
  const { database } = place
  const titles = ['one', 'two', 'three', 'four', 'one', 'two', 'three', 'four']
  const stored = await Promise.all(
    titles.map((title) =>
      database.transaction((tx) => storeRevision(tx, aDefinition({ title }), masterKey)),
    ),
  )
  assert.equal(stored.filter(({ isNew }) => isNew).length, 1)
  assert.equal(new Set(stored.map(({ projectId }) => projectId)).size, 1)
  const made = stored.filter(({ changed }) => changed).map(({ revision }) => revision)
  assert.deepEqual(
    made.toSorted((a, b) => a - b),
    made.map((_, index) => index + 1),
  )
})

test('a transaction that fails leaves nothing, and the next one starts anew', async () => {
  await using place = await testDatabase()
  const { database } = place
  const failing = database.transaction(async (tx) => {
    await storeRevision(tx, aDefinition(), masterKey)
    throw new Error('later step failed')
  })
  await assert.rejects(failing, /later step failed/)
  assert.equal((await selectVersions(database)).size, 0)
  const stored = await database.transaction((tx) => storeRevision(tx, aDefinition(), masterKey))
  assert.equal(stored.isNew, true)
})
