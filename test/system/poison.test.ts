import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '#platform/database'
import { call, readTransaction, triggerXml } from '../support/calls.ts'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { openShop, startShopService } from '../support/shop.ts'

const POISON = 'poison@example.com'

/** Makes the database choke on one address while it is applied, as a bug of ours might. */
async function poisonMessages(database: Database): Promise<void> {
  await database.query({
    text: `create function choke() returns trigger language plpgsql as $$
             begin raise 'choked' using errcode = 'data_exception'; end $$`,
  })
  await database.query({
    text: `create trigger choke before insert on message
             for each row when (new.address = '${POISON}') execute function choke()`,
  })
}

function trigger(mode: 'sync' | 'async', email: string, transactionId: string) {
  const body = triggerXml({ email }, 'email', { orderNumber: '1' })
  return { mode, operation: 'OrderConfirmation', body, transactionId }
}

test('an operation that cannot be applied fails alone, and the lane goes on', async () => {
  await using place = await testDatabase()
  const shop = await openShop(place.database)
  await poisonMessages(place.database)
  await using service = await startShopService({ databaseUrl: place.url })
  await using other = await startShopService({ databaseUrl: place.url })
  const emails = Array.from({ length: 40 }, (_, n) => (n % 10 === 7 ? POISON : `c${n}@example.com`))
  const answers = await Promise.all(
    emails.map((email, n) => {
      const mode = n % 10 === 7 || n % 2 === 0 ? 'async' : 'sync'
      const { baseUrl } = n % 3 === 0 ? other : service
      return call(baseUrl, shop, trigger(mode, email, `t${n}`))
    }),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['Success']))
  await eventually('the inbox is empty', () => isDrained(place.database))
  for (const [n, email] of emails.entries()) {
    const { text } = await readTransaction(service.baseUrl, shop, `t${n}`)
    assert.match(text, email === POISON ? /<state>Failed</ : /<state>Done</, `${n} ${text}`)
  }
  await checkConsistency(place.database)
})

test('a sync caller whose operation cannot be applied gets 500, and leaves no trace', async () => {
  await using place = await testDatabase()
  const shop = await openShop(place.database)
  await poisonMessages(place.database)
  await using service = await startShopService({ databaseUrl: place.url })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      call(service.baseUrl, shop, trigger('sync', n === 9 ? POISON : `c${n}@example.com`, `t${n}`)),
    ),
  )
  assert.deepEqual(
    answers.map(({ httpStatus }) => httpStatus),
    Array.from({ length: 20 }, (_, n) => (n === 9 ? 500 : 200)),
  )
  assert.doesNotMatch(answers[9]?.text ?? '', /choked/)
  assert.equal((await readTransaction(service.baseUrl, shop, 't9')).httpStatus, 404)
  await checkConsistency(place.database)
})
