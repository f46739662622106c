import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Database } from '#platform/database'
import { testDatabase } from '../../test/support/database.ts'
import { aDefinition } from './definition-fixture.ts'
import { selectVersions } from './project-store.ts'
import {
  listKeys,
  MAX_LIVE_KEYS,
  type MadeKey,
  makeKey,
  openLiveKeys,
  revokeKey,
  rotateKey,
} from './secret-keys.ts'
import { storeRevision } from './store-revision.ts'

const masterKey = randomBytes(32)
const endpointId = 'corner-shop.website'

async function withShop(database: Database): Promise<number> {
  const stored = await database.transaction((tx) => storeRevision(tx, aDefinition(), masterKey))
  return stored.projectId
}

async function made(database: Database): Promise<MadeKey> {
  const outcome = await database.transaction((tx) => makeKey(tx, { endpointId, masterKey }))
  assert.ok(outcome.kind === 'made')
  return outcome.key
}

test('a key is made, sealed, listed by its hint and seen by running processes', async () => {
  await using place = await testDatabase()
  const { database } = place
  const projectId = await withShop(database)
  const key = await made(database)
  assert.match(key.value, /^ph_[A-Za-z0-9_-]{43}$/)
  assert.deepEqual(await openLiveKeys(database, { projectId, masterKey }), [
    { id: key.id, endpoint: 'website', value: key.value },
  ])
  const listed = await listKeys(database, { endpointId })
  assert.ok(listed.kind === 'listed')
  assert.deepEqual(
    listed.keys.map(({ id, hint, revokedAt }) => ({ id, hint, revokedAt })),
    [{ id: key.id, hint: key.value.slice(-4), revokedAt: null }],
  )
  const rows = await database.query<{ row: string }>({
    text: `select encode(sealed, 'escape') as row from secret_key`,
  })
  assert.ok(rows.every(({ row }) => !row.includes(key.value)))
  assert.deepEqual(await selectVersions(database), new Map([[projectId, 2n]]))
})

test('a sealed key moved to another row does not open', async () => {
  await using place = await testDatabase()
  const { database } = place
  const projectId = await withShop(database)
  await made(database)
  await database.query({ text: `update secret_key set id = 'other'` })
  await assert.rejects(openLiveKeys(database, { projectId, masterKey }))
})

test('an endpoint nobody declared has no keys', async () => {
  await using place = await testDatabase()
  const { database } = place
  await withShop(database)
  for (const wrong of ['corner-shop.webste', 'other.website', 'corner-shop', 'website', '', '.']) {
    const outcomes = await database.transaction(async (tx) => [
      await makeKey(tx, { endpointId: wrong, masterKey }),
      await listKeys(tx, { endpointId: wrong }),
      await rotateKey(tx, { endpointId: wrong, masterKey }),
      await revokeKey(tx, { endpointId: wrong, keyId: 'x' }),
    ])
    for (const outcome of outcomes) {
      assert.deepEqual(outcome, { kind: 'unknownEndpoint', known: [endpointId] }, wrong)
    }
  }
})

test('a rotated key stays live until it is revoked', async () => {
  await using place = await testDatabase()
  const { database } = place
  const projectId = await withShop(database)
  const rotate = (keyId?: string) =>
    database.transaction((tx) => rotateKey(tx, { endpointId, masterKey, keyId }))
  assert.deepEqual(await rotate(), { kind: 'nothingToRotate' })
  const first = await made(database)
  assert.deepEqual(await rotate('nothing'), { kind: 'unknownKey', known: [first.id] })
  const rotated = await rotate(first.id)
  assert.ok(rotated.kind === 'rotated')
  assert.deepEqual(
    rotated.old.map(({ id }) => id),
    [first.id],
  )
  const live = async () =>
    (await openLiveKeys(database, { projectId, masterKey })).map(({ value }) => value)
  assert.deepEqual(await live(), [first.value, rotated.key.value])
  const revoke = () => database.transaction((tx) => revokeKey(tx, { endpointId, keyId: first.id }))
  assert.deepEqual(await revoke(), { kind: 'revoked' })
  assert.deepEqual(await live(), [rotated.key.value])
  assert.equal((await revoke()).kind, 'alreadyRevoked')
  assert.deepEqual(await rotate(first.id), { kind: 'unknownKey', known: [rotated.key.id] })
})

test('the number of live keys is limited, even for many at once', async () => {
  await using place = await testDatabase()
  const { database } = place
  await withShop(database)
  const outcomes = await Promise.all(
    Array.from({ length: MAX_LIVE_KEYS + 3 }, () =>
      database.transaction((tx) => makeKey(tx, { endpointId, masterKey })),
    ),
  )
  assert.equal(outcomes.filter(({ kind }) => kind === 'made').length, MAX_LIVE_KEYS)
  assert.equal(outcomes.filter(({ kind }) => kind === 'tooManyKeys').length, 3)
})

test('keys of an endpoint that was dropped can be revoked, not made', async () => {
  await using place = await testDatabase()
  const { database } = place
  await withShop(database)
  const key = await made(database)
  const without = aDefinition({ endpoints: [] })
  await database.transaction((tx) => storeRevision(tx, without, masterKey))
  const outcomes = await database.transaction(async (tx) => [
    await makeKey(tx, { endpointId, masterKey }),
    await rotateKey(tx, { endpointId, masterKey }),
    await revokeKey(tx, { endpointId, keyId: key.id }),
  ])
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['unknownEndpoint', 'unknownEndpoint', 'revoked'],
  )
})

test('a key of one endpoint cannot be revoked through another', async () => {
  await using place = await testDatabase()
  const { database } = place
  await withShop(database)
  const key = await made(database)
  const other = aDefinition({ name: 'other-shop' })
  await database.transaction((tx) => storeRevision(tx, other, masterKey))
  const outcome = await database.transaction((tx) =>
    revokeKey(tx, { endpointId: 'other-shop.website', keyId: key.id }),
  )
  assert.deepEqual(outcome, { kind: 'unknownKey', known: [] })
})
