import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, editXml, triggerXml } from './calls.ts'
import { checkConsistency, isDrained } from './consistency.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { openShop, startShopService } from './shop.ts'

let place: TestDatabase

before(async () => {
  place = await testDatabase()
  const shop = await openShop(place.database)
  await using service = await startShopService({ databaseUrl: place.url })
  const deviceUuid = '5ad03466-a2d3-4b3e-9ebc-0ef3a8cd2a4b'
  const both = { webSiteUserId: '1', crmId: 'C-1' }
  const subscriptions = [{ topic: 'news', isSubscribed: 'false' }]
  const customFields = { interests: ['tea', 'a "quoted", text'], passportNote: 'x' }
  const edits = [
    { ids: { webSiteUserId: '1' }, email: 'anna@example.com', firstName: 'Anna', customFields },
    { ids: { crmId: 'C-1' }, subscriptions, password: 'secret' },
    { ids: both },
  ]
  for (const edit of edits) {
    const sent = { mode: 'sync', operation: 'EditCustomer', deviceUuid } as const
    const answer = await call(service.baseUrl, shop, { ...sent, body: editXml(edit) })
    assert.equal(answer.status, 'Success', answer.text)
  }
  for (const mode of ['sync', 'async'] as const) {
    const body = triggerXml({ ids: both }, 'email', { orderNumber: '1' })
    const sent = { mode, operation: 'OrderConfirmation', transactionId: mode, body }
    assert.equal((await call(service.baseUrl, shop, sent)).status, 'Success')
  }
  await eventually('the inbox is empty', () => isDrained(place.database))
})

after(() => place[Symbol.asyncDispose]())

test('a database that nobody has touched is consistent', async () => {
  await checkConsistency(place.database)
})

const breaches: [what: string, statement: string, complaint: RegExp][] = [
  ['a lost message', 'delete from message', /caused as many messages/],
  ['a lost status', 'delete from message_status', /was queued once/],
  [
    'a second status',
    `insert into message_status select project_id, message_id, id + 1, status, at
     from message_status`,
    /was queued once/,
  ],
  [
    'a lost operation',
    `delete from operation where mode = 'async'`,
    /state of an operation is its/,
  ],
  ['a lost transaction', 'delete from registered_transaction', /has registered it/],
  [
    'a foreign transaction',
    `update registered_transaction set operation_id = operation_id + 1`,
    /did its work/,
  ],
  [
    'a changed name',
    `update customer set first_name = 'Eve'`,
    /last state of a customer is its row/,
  ],
  [
    'a lost password',
    `update customer set password_hash = null`,
    /last state of a customer is its row/,
  ],
  ['a lost customer', 'delete from customer', /found by its own names/],
  [
    'a customer back from a merge',
    `insert into customer (project_id, id, identifiers, custom_fields,
     subscriptions, created_at, changed_at, touched_at) select project_id, absorbed_id, '[]', '{}',
     '[]', at, at, at from customer_merge`,
    /whoever was absorbed is gone/,
  ],
  ['a lost identifier', `update customer set identifiers = '[]'`, /state of an identifier/],
  ['a lost name', `delete from customer_name where kind = 'crmId'`, /found by its own names/],
  [
    'a lost field',
    `update customer set custom_fields = custom_fields - 'interests'`,
    /state of a custom field/,
  ],
  ['a lost answer', `update customer set subscriptions = '[]'`, /state of a subscription/],
  ['a lost device', 'delete from customer_device', /state of a device/],
  ['a lost merge', 'delete from customer_merge', /state of a merge/],
  [
    'a customer touched too early',
    `update customer set touched_at = created_at`,
    /touched no earlier/,
  ],
  [
    'states at one instant',
    `update history set at = (select max(at) from history)`,
    /share an instant/,
  ],
  [
    'an unknown table',
    `insert into history select project_id, 'CDP.New', at, state from history`,
    /is known here/,
  ],
  ...['Customers', 'ExternalCustomerIdsHistory', 'CustomerCustomFields', 'Operations'].map(
    (table): [string, string, RegExp] => [
      `no history of ${table}`,
      `delete from history where table_name = 'CDP.${table}'`,
      /not in the history/,
    ],
  ),
  ...['CustomerMessages', 'CustomerMessagesStatuses', 'Transactions'].map(
    (table): [string, string, RegExp] => [
      `no history of ${table}`,
      `delete from history where table_name = 'Mailings.${table}'`,
      /not in the history/,
    ],
  ),
]

for (const [what, statement, complaint] of breaches) {
  test(`${what} is noticed`, async () => {
    const undone = new Error('undone')
    const attempt = place.database.transaction(async (transaction) => {
      await transaction.query({ text: statement })
      await assert.rejects(checkConsistency(transaction), complaint)
      throw undone
    })
    await assert.rejects(attempt, undone)
  })
}
