import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { checkLedger, runLoad } from '../support/load.ts'
import { seededRandom } from '../support/random.ts'
import { rounds } from '../support/settings.ts'
import { openShop, startShopService } from '../support/shop.ts'

const SEED = 20_260_303
const CLIENTS = 24
const KILLS = 5
/** Operations between two kills: many batches of both queues. */
const OPERATIONS_PER_KILL = 250

test('a service killed again and again does every operation once and none in part', async () => {
  await using place = await testDatabase()
  const { database, url } = place
  const shop = await openShop(database)
  const kills = rounds(KILLS)
  let service = await startShopService({ databaseUrl: url })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => service[Symbol.asyncDispose]())
  const target = { baseUrl: service.baseUrl }
  let killed = 0
  let restart: Promise<void> | null = null

  const killAndStart = async () => {
    await service.kill('SIGKILL')
    await service[Symbol.asyncDispose]()
    service = await startShopService({ databaseUrl: url })
    target.baseUrl = service.baseUrl
  }
  const ledger = await runLoad({
    target,
    shop,
    random: seededRandom(SEED),
    clients: CLIENTS,
    operations: OPERATIONS_PER_KILL * (kills + 1),
    onEnded: (count) => {
      if (restart !== null || killed === kills) return
      if (count < OPERATIONS_PER_KILL * (killed + 1)) return
      killed += 1
      restart = killAndStart().then(() => {
        restart = null
      })
    },
  })
  await restart

  assert.equal(killed, kills)
  assert.ok(
    ledger.sent.some(({ attempts }) => attempts > 1),
    'no operation was under way when the service was killed',
  )
  await eventually('the inbox is empty', () => isDrained(database))
  await checkLedger(database, shop, ledger)
  await checkConsistency(database)
})
