import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { aPerson } from '../support/people.ts'
import { countOf } from '../support/stored.ts'
import { startWideShop } from '../support/wide-shop.ts'
import { type Answer, UUID } from '../support/wire.ts'

test('while the database is away every call is 503, says when to come back, and stores nothing', async () => {
  let proxy: DatabaseProxy | undefined
  await using shop = await startWideShop({
    databaseUrl: async ({ address, name }) => {
      proxy = await startDatabaseProxy(address)
      return `postgres://${address.user}@127.0.0.1:${proxy.port}/${name}`
    },
  })
  const customer = { email: aPerson().email }
  assert.equal((await shop.call('Edit', { customer })).body.status, 'Success')
  const people = await countOf(shop.database, 'customer')
  await proxy?.[Symbol.asyncDispose]()

  const query = { transactionId: 'while-away' }
  const { email } = aPerson()
  const edit = (mode: string, notation: 'xml' | 'json') =>
    shop.call('Edit', { customer: { email } }, { mode, notation, query })
  const answers: Answer[] = await Promise.all([
    edit('async', 'xml'),
    edit('async', 'json'),
    // This one waits for its turn until its time is up.
    edit('sync', 'xml'),
    edit('sync', 'json'),
    shop.transaction('while-away'),
    shop.transaction('while-away', { headers: { accept: 'application/json' } }),
  ])
  for (const { httpStatus, body, headers, text } of answers) {
    assert.equal(httpStatus, 503, text)
    assert.deepEqual(Object.keys(body), ['status', 'errorMessage', 'errorId', 'httpStatusCode'])
    assert.equal(body.status, 'InternalServerError')
    assert.equal(body.httpStatusCode, '503')
    assert.match(String(body.errorId), UUID)
    assert.match(String(body.errorMessage), /nothing was stored/)
    assert.doesNotMatch(text, /ECONNREFUSED|postgres|127\.0\.0\.1/)
    assert(Number(headers.get('retry-after')) >= 1)
    const errorId = String(body.errorId)
    await eventually('the log has it', () => shop.service.output().includes(errorId))
  }
  assert.deepEqual(
    answers.map(({ text }) => text.startsWith('{')),
    [false, true, false, true, false, true],
  )
  assert.equal(await countOf(shop.database, 'customer'), people)
  assert.equal(await countOf(shop.database, 'registered_transaction'), 0)
})
