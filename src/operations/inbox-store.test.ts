import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import { takeFromInbox, takeOneFromInbox } from './inbox-store.ts'

const MIB = 1024 * 1024

test('the oldest are taken first, as many as fit into a batch by number and by size', async () => {
  await using place = await testDatabase()
  const { database } = place
  const sizes = [1, 9 * MIB, 1, 5 * MIB, 5 * MIB, 1, 1]
  await database.query({
    text: `insert into inbox (project_id, id, received_at, payload, size_bytes)
           select 1, n, now(), '{}', size from unnest($1::int[]) with ordinality s (size, n)`,
    values: [sizes],
  })
  const take = async (limit: number) => {
    const { turns, isDrained } = await takeFromInbox(database, 1, limit)
    return { ids: turns.map((turn) => turn.operationId), isDrained }
  }
  assert.deepEqual(await take(256), { ids: ['1', '2'], isDrained: false })
  assert.deepEqual(await take(1), { ids: ['3'], isDrained: false })
  assert.deepEqual(await take(256), { ids: ['4', '5'], isDrained: false })
  assert.equal((await takeOneFromInbox(database, 1, '7'))?.operationId, '7')
  assert.equal(await takeOneFromInbox(database, 1, '7'), undefined)
  assert.deepEqual(await take(256), { ids: ['6'], isDrained: true })
  assert.deepEqual(await take(256), { ids: [], isDrained: true })
})
