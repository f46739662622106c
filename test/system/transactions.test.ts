import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkConsistency } from '../support/consistency.ts'
import { eventually } from '../support/eventually.ts'
import { aPerson } from '../support/people.ts'
import { countOf } from '../support/stored.ts'
import { startWideShop, type WideShop } from '../support/wide-shop.ts'
import {
  assertProtocolError,
  type CallOptions,
  locationsIn,
  processed,
  type Tree,
} from '../support/wire.ts'

let shop: WideShop
before(async () => {
  shop = await startWideShop()
})
after(async () => {
  await checkConsistency(shop.database)
  await shop[Symbol.asyncDispose]()
})

const PROCESSED = 'TransactionAlreadyProcessed'
let count = 0
const aTransaction = () => `order-${++count}`

/** Sends a good edit of somebody new and gives its status. */
async function statusOf(options: CallOptions, operation = 'Edit'): Promise<unknown> {
  const { email } = aPerson()
  return (await shop.call(operation, { customer: { email } }, options)).body.status
}

/** What the status call says once the operation is over. */
async function reportOf(id: string, options: CallOptions = {}): Promise<Tree> {
  return await eventually(`${id} is over`, async () => {
    const { body } = await shop.transaction(id, options)
    const transaction = body.transaction as Tree
    return transaction.state === 'Accepted' ? undefined : transaction
  })
}

describe('a transaction id', () => {
  const spellings: [string, (id: string) => CallOptions][] = [
    ['transactionId', (id) => ({ query: { transactionId: id } })],
    ['transactiondId', (id) => ({ query: { transactiondId: id } })],
    ['Idempotency-Key', (id) => ({ headers: { 'idempotency-key': id } })],
    [
      'all of them',
      (id) => ({
        query: { transactionId: id, transactiondId: id },
        headers: { 'idempotency-key': id },
      }),
    ],
  ]
  for (const [name, options] of spellings) {
    test(`may be sent as ${name}, and means the same`, async () => {
      const id = aTransaction()
      assert.equal(await statusOf(options(id)), 'Success')
      for (const [, other] of spellings) assert.equal(await statusOf(other(id)), PROCESSED)
    })
  }

  test('that differs between its spellings is 400', async () => {
    const id = aTransaction()
    for (const options of [
      { query: { transactionId: id, transactiondId: `${id}x` } },
      { query: { transactionId: id }, headers: { 'idempotency-key': `${id}x` } },
      { query: { transactiondId: id }, headers: { 'idempotency-key': `${id}x` } },
    ]) {
      const { email } = aPerson()
      assertProtocolError(await shop.call('Edit', { customer: { email } }, options), 400, /differ/)
    }
  })

  test('has 1 to 255 printable characters', async () => {
    for (const id of ['x'.repeat(255), `${aTransaction()} № 7 заказ/+&?#%`, '😀'.repeat(255)]) {
      const options = { query: { transactionId: id } }
      assert.equal(await statusOf(options), 'Success')
      assert.equal(await statusOf(options), PROCESSED)
      assert.equal((await reportOf(id)).id, id)
    }
    for (const id of ['', ' ', 'x'.repeat(256), 'a\nb', 'a\u0000b', '\u200b']) {
      const options = { query: { transactionId: id } }
      const { email } = aPerson()
      const answer = await shop.call('Edit', { customer: { email } }, options)
      assertProtocolError(answer, 400, /1 to 255 printable/)
    }
  })

  test('and a device that is no UUID are both 400', async () => {
    const { email } = aPerson()
    const query = { deviceUUID: 'my-phone' }
    const answer = await shop.call('Edit', { customer: { email } }, { query })
    assertProtocolError(answer, 400, /deviceUUID must be a UUID/)
  })
})

describe('is registered once', () => {
  test('over all operations and both modes', async () => {
    const query = { transactionId: aTransaction() }
    assert.equal(await statusOf({ query }), 'Success')
    const messages = await countOf(shop.database, 'message')
    assert.equal(await statusOf({ query, mode: 'async' }), PROCESSED)
    assert.equal(await statusOf({ query }, 'Welcome'), PROCESSED)
    assert.equal(await statusOf({ query, mode: 'async' }, 'Welcome'), PROCESSED)
    assert.equal(await countOf(shop.database, 'message'), messages)
  })

  test('over all endpoints of one mechanism, apart from those of another', async () => {
    const query = { transactionId: aTransaction() }
    assert.equal(await statusOf({ query }), 'Success')
    assert.equal(await statusOf({ query, endpoint: 'app' }), PROCESSED)
    assert.equal(await statusOf({ query, endpoint: 'till' }), 'Success')
    assert.equal(await statusOf({ query, endpoint: 'till', mode: 'async' }), PROCESSED)
  })

  test('as it is written, letter case and all', async () => {
    const id = aTransaction()
    assert.equal(await statusOf({ query: { transactionId: id } }), 'Success')
    assert.equal(await statusOf({ query: { transactionId: id.toUpperCase() } }), 'Success')
  })

  test('without one every call does its work', async () => {
    const { email } = aPerson()
    const messages = await countOf(shop.database, 'message')
    for (let calls = 0; calls < 2; calls++) await shop.call('Welcome', { customer: { email } })
    assert.equal(await countOf(shop.database, 'message'), messages + 2)
  })
})

describe('a refused request registers nothing:', () => {
  const good = () => ({ customer: { email: aPerson().email } })
  const cases: [string, (options: CallOptions) => Promise<unknown>][] = [
    ['wrong fields', (options) => shop.call('Edit', { customer: { email: 'x' } }, options)],
    ['an unreadable body', (options) => shop.call('Edit', '<operation', options)],
    ['a wrong key', (options) => shop.call('Edit', good(), { ...options, key: 'wrong' })],
    ['an unknown operation', (options) => shop.call('Nothing', good(), options)],
    ['what the work refuses', (options) => shop.call('EditOrReject', good(), options)],
  ]
  for (const [what, call] of cases) {
    test(what, async () => {
      const query = { transactionId: aTransaction() }
      await call({ query })
      assert.equal((await shop.transaction(query.transactionId)).httpStatus, 404)
      assert.equal(await statusOf({ query }), 'Success')
    })
  }

  test('but an async operation that fails later keeps its key', async () => {
    const query = { transactionId: aTransaction() }
    assert.equal(await statusOf({ query, mode: 'async' }, 'EditOrReject'), 'Success')
    assert.equal((await reportOf(query.transactionId)).state, 'Failed')
    assert.equal(await statusOf({ query }), PROCESSED)
  })
})

describe('the status call', () => {
  for (const notation of ['xml', 'json'] as const) {
    const headers = { accept: `application/${notation}` }

    test(`tells of the operation and its messages, in ${notation}`, async () => {
      const id = aTransaction()
      const startedAt = Date.now()
      const { email } = aPerson()
      const answer = await shop.call(
        'Welcome',
        { customer: { email } },
        { query: { transactionId: id } },
      )
      const { body, httpStatus, text } = await shop.transaction(id, { headers })
      assert.equal(httpStatus, 200)
      assert.equal(text.startsWith('{'), notation === 'json')
      assert.equal(body.status, 'Success')
      const { registeredAt, messages, ...transaction } = body.transaction as Tree
      assert.deepEqual(transaction, { id, operation: 'Welcome', state: 'Done' })
      assert(Math.abs(Date.parse(String(registeredAt)) - startedAt) < 60_000)
      const [message, ...others] = messages as Tree[]
      assert.deepEqual(others, [])
      const { history, ...rest } = message as Tree
      const { id: messageId } = answer.body.message as Tree
      const shown = { id: messageId, channel: 'Email', mailing: 'welcome', status: 'Queued' }
      assert.deepEqual(rest, shown)
      const [entry] = history as Tree[]
      assert.equal(entry?.status, 'Queued')
      assert.match(String(entry?.at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
    })

    test(`says why an operation failed, in ${notation}`, async () => {
      const id = aTransaction()
      await statusOf({ query: { transactionId: id }, mode: 'async' }, 'EditOrReject')
      const report = await reportOf(id, { headers })
      assert.equal(report.state, 'Failed')
      assert.match(String(report.errorMessage), /^\/customer: no such customer/)
      assert.deepEqual(report.messages, [])
    })

    test(`is 404 for a transaction nobody registered, in ${notation}`, async () => {
      assertProtocolError(await shop.transaction('never-seen', { headers }), 404)
    })
  }

  test('says Accepted until the work is done', async () => {
    const id = aTransaction()
    const { database } = shop
    await database.transaction(async (transaction) => {
      // Whoever holds this row keeps the project's operations waiting.
      await transaction.query({ text: 'select from lane for update' })
      await statusOf({ query: { transactionId: id }, mode: 'async' })
      const { body } = await shop.transaction(id)
      assert.partialDeepStrictEqual(body.transaction, { state: 'Accepted', operation: 'Edit' })
    })
    assert.equal((await reportOf(id)).state, 'Done')
  })

  test('needs the secret key of the endpoint', async () => {
    const id = aTransaction()
    await statusOf({ query: { transactionId: id } })
    assertProtocolError(await shop.transaction(id, { key: null }), 401)
    assertProtocolError(await shop.transaction(id, { key: 'wrong' }), 403)
    assertProtocolError(await shop.transaction(id, { key: shop.keys.till }), 403)
    assertProtocolError(await shop.transaction(id, { endpoint: 'nowhere' }), 401)
  })

  test('knows what another endpoint of the mechanism did, not of another mechanism', async () => {
    const id = aTransaction()
    await statusOf({ query: { transactionId: id } })
    assert.equal((await shop.transaction(id, { endpoint: 'app' })).httpStatus, 200)
    assertProtocolError(await shop.transaction(id, { endpoint: 'till' }), 404)
  })

  test('is 404 for what cannot be a transaction id', async () => {
    assertProtocolError(await shop.transaction('x'.repeat(256)), 404)
    assertProtocolError(await shop.transaction('a\nb'), 404)
  })
})

test('a repeat after ValidationError may be mended and sent with the same id', async () => {
  const query = { transactionId: aTransaction() }
  const wrong = await shop.call('Edit', { customer: { email: 'x' } }, { query })
  assert.deepEqual(locationsIn(wrong), ['/customer/email'])
  const { email } = aPerson()
  processed(await shop.call('Edit', { customer: { email } }, { query }), 'Created')
})
