import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '#platform/database'
import {
  type CallAnswer,
  type CustomerElements,
  call,
  editXml,
  type OperationCall,
  triggerXml,
} from '../support/calls.ts'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { rounds } from '../support/settings.ts'
import { openShop, startShopService } from '../support/shop.ts'

const SEED = 20_260_301
const REQUESTS = 200

test('of 200 concurrent requests with one transaction id on two processes one does the work', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using one = await startShopService({ databaseUrl: place.url })
  await using other = await startShopService({ databaseUrl: place.url })
  const random = seededRandom(SEED)
  const count = rounds(8)
  for (let round = 0; round < count; round++) {
    const transactionId = `order ${round} / ${random.below(1e9)}`
    const answers = await Promise.all(
      requestsOf(transactionId, random).map((sent, index) =>
        call(index % 2 === 0 ? one.baseUrl : other.baseUrl, shop, sent),
      ),
    )
    assertOneSuccess(answers)
    await eventually('the inbox is empty', () => isDrained(database))
    assert.deepEqual(await traces(database, transactionId), {
      registered: 1,
      operations: 1,
      messages: 1,
      historyOfTransaction: 1,
      historyOfMessage: 1,
    })
  }
  await checkConsistency(database)
})

test('one transaction id serves edits and messages of both modes once in all', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using service = await startShopService({ databaseUrl: place.url })
  const random = seededRandom(SEED + 1)
  const edit = { operation: 'EditCustomer', body: editXml(customerOf(0)) }
  const trigger = { operation: 'OrderConfirmation', body: confirmation(0) }
  for (let round = 0; round < rounds(20); round++) {
    const transactionId = `mixed-${round}`
    const calls = Array.from({ length: 20 }, () =>
      call(service.baseUrl, shop, {
        ...random.pick([edit, trigger]),
        mode: random.pick(['sync', 'async'] as const),
        transactionId,
      }),
    )
    assertOneSuccess(await Promise.all(calls))
  }
  await eventually('the inbox is empty', () => isDrained(database))
  const [operations] = await database.query<{ count: string }>({
    text: 'select count(*) as count from operation',
  })
  assert.equal(Number(operations?.count), rounds(20))
  await checkConsistency(database)
})

test('a sync request that waited too long is withdrawn, and its transaction id stays free', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using service = await startShopService({ databaseUrl: place.url })
  const transactionId = 'withdrawn'
  const sent = { mode: 'sync', operation: 'OrderConfirmation', transactionId } as const
  const first = await database.transaction(async (transaction) => {
    // Nobody can apply anything until this transaction ends.
    await transaction.query({ text: 'select from lane for update' })
    return await call(service.baseUrl, shop, { ...sent, body: confirmation(1) })
  })
  assert.equal(`${first.httpStatus} ${first.status}`, '503 InternalServerError', first.text)
  assert.match(first.headers.get('retry-after') ?? '', /^\d+$/)
  const second = await call(service.baseUrl, shop, { ...sent, body: confirmation(2) })
  assert.equal(second.status, 'Success', second.text)
  const messages = await database.query<{ parameters: object }>({
    text: 'select parameters from message',
  })
  assert.deepEqual(messages, [{ parameters: { orderNumber: '2' } }])
  await checkConsistency(database)
})

/** Half of them sync, half async, in the three spellings of the transaction id, shuffled. */
function requestsOf(transactionId: string, random: Random): OperationCall[] {
  const sent = Array.from({ length: REQUESTS }, (_, index): OperationCall => {
    const mode = index % 2 === 0 ? 'sync' : 'async'
    const body = confirmation(index)
    const withKey = { mode, operation: 'OrderConfirmation', body } as const
    return random.chance(0.5)
      ? { ...withKey, transactionId }
      : { ...withKey, headers: { 'idempotency-key': transactionId } }
  })
  return sent
    .map((request) => ({ request, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ request }) => request)
}

function customerOf(index: number): CustomerElements {
  const number = index % 3
  return { ids: { webSiteUserId: String(number) }, email: `customer${number}@example.com` }
}

function confirmation(index: number): string {
  return triggerXml(customerOf(index), 'email', { orderNumber: String(index) })
}

function assertOneSuccess(answers: CallAnswer[]): void {
  const counts = new Map<string, number>()
  for (const { httpStatus, status } of answers) {
    const what = `${httpStatus} ${status}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  assert.deepEqual(Object.fromEntries([...counts].sort()), {
    '200 Success': 1,
    '200 TransactionAlreadyProcessed': answers.length - 1,
  })
}

/** How often each thing that a transaction leaves behind is there. */
async function traces(sql: Sql, transactionId: string): Promise<Record<string, number>> {
  const [row] = await sql.query<Record<string, string>>({
    text: `select
      (select count(*) from registered_transaction where id = $1) as registered,
      (select count(*) from operation where transaction_id = $1) as operations,
      (select count(*) from message m join operation o
          on o.project_id = m.project_id and o.id = m.operation_id
        where o.transaction_id = $1) as messages,
      (select count(*) from history where table_name = 'Mailings.Transactions'
          and state ->> 'transactionId' = $1) as "historyOfTransaction",
      (select count(*) from history where table_name = 'Mailings.CustomerMessages'
          and state ->> 'transactionId' = $1) as "historyOfMessage"`,
    values: [transactionId],
  })
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, n]) => [name, Number(n)]))
}
