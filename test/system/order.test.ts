import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '#platform/database'
import { type CustomerElements, call, editXml, textAt } from '../support/calls.ts'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { seededRandom } from '../support/random.ts'
import { rounds } from '../support/settings.ts'
import { openShop, startShopService } from '../support/shop.ts'

const SEED = 20_260_302
const EDITS = 50
const IDS = { webSiteUserId: 'anna' }

/** Every edit changes the loyalty level and one of these, whose place tells who changed it. */
function editOf(number: number): CustomerElements {
  const own = [`hobby ${number}`]
  const others: Record<number, CustomerElements> = {
    0: { customFields: { loyaltyLevel: String(number), interests: own } },
    1: { customFields: { loyaltyLevel: String(number), passportNote: `note ${number}` } },
    2: { firstName: `Anna ${number}`, customFields: { loyaltyLevel: String(number) } },
    3: { lastName: `Smith ${number}`, customFields: { loyaltyLevel: String(number) } },
  }
  return { ids: IDS, ...others[number % 4] }
}

for (const mode of ['sync', 'async'] as const) {
  test(`fifty concurrent ${mode} edits of one customer are all done, in the order accepted`, async () => {
    await using place = await testDatabase()
    const { database } = place
    const shop = await openShop(database)
    await using service = await startShopService({ databaseUrl: place.url })
    for (let round = 0; round < rounds(4); round++) {
      const numbers = Array.from({ length: EDITS }, (_, index) => round * EDITS + index)
      const answers = await Promise.all(
        numbers.map((number) =>
          call(service.baseUrl, shop, {
            mode,
            operation: 'EditCustomer',
            transactionId: String(number),
            body: editXml(editOf(number)),
          }),
        ),
      )
      for (const { text, status } of answers) assert.equal(status, 'Success', text)
      await eventually('the inbox is empty', () => isDrained(database))
      const inOrder = (await acceptedOrder(database)).filter((number) => numbers.includes(number))
      assert.equal(inOrder.length, EDITS)
      await assertDoneInOrder(database, inOrder)
    }
    await checkConsistency(database)
  })
}

test('edits of one customer over two processes are all done, whoever takes them', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using one = await startShopService({ databaseUrl: place.url })
  await using other = await startShopService({ databaseUrl: place.url })
  const random = seededRandom(SEED)
  const numbers = Array.from({ length: rounds(4) * EDITS }, (_, index) => index)
  await Promise.all(
    numbers.map(async (number) => {
      const answer = await call(random.pick([one, other]).baseUrl, shop, {
        mode: random.pick(['sync', 'async'] as const),
        operation: 'EditCustomer',
        transactionId: String(number),
        body: editXml(editOf(number)),
      })
      assert.equal(answer.status, 'Success', answer.text)
    }),
  )
  await eventually('the inbox is empty', () => isDrained(database))
  const told = await valuesTold(database, 'loyaltyLevel')
  assert.deepEqual(
    told.map(Number).sort((a, b) => a - b),
    numbers,
  )
  assert.equal((await customer(database)).custom_fields.loyaltyLevel, told.at(-1))
  await checkConsistency(database)
})

test('edits that wait for each other’s answer are done in the order of the answers', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using one = await startShopService({ databaseUrl: place.url })
  await using other = await startShopService({ databaseUrl: place.url })
  const random = seededRandom(SEED + 1)
  const numbers = Array.from({ length: rounds(100) }, (_, index) => index)
  for (const number of numbers) {
    const answer = await call(random.pick([one, other]).baseUrl, shop, {
      mode: random.pick(['sync', 'async'] as const),
      operation: 'EditCustomer',
      body: editXml(editOf(number)),
    })
    assert.equal(answer.status, 'Success', answer.text)
  }
  await eventually('the inbox is empty', () => isDrained(database))
  await assertDoneInOrder(database, numbers)
  await checkConsistency(database)
})

test('a sync edit sees the async edit acknowledged before it, on another process too', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using one = await startShopService({ databaseUrl: place.url })
  await using other = await startShopService({ databaseUrl: place.url })
  const random = seededRandom(SEED + 2)
  for (let round = 0; round < rounds(100); round++) {
    const [first, second] = random.chance(0.5) ? [one, other] : [other, one]
    const webSiteUserId = `customer ${round}`
    const accepted = await call(first.baseUrl, shop, {
      mode: 'async',
      operation: 'EditCustomer',
      body: editXml({
        ids: { webSiteUserId },
        firstName: 'async',
        customFields: { loyaltyLevel: '1' },
      }),
    })
    assert.equal(accepted.status, 'Success', accepted.text)
    const done = await call(second.baseUrl, shop, {
      mode: 'sync',
      operation: 'EditCustomer',
      body: editXml({ ids: { webSiteUserId }, firstName: 'sync' }),
    })
    // Had it not seen the first, it would have made the customer itself.
    assert.equal(textAt(done.root, 'customer', 'processingStatus'), 'Changed', done.text)
    const [row] = await database.query<{ first_name: string; custom_fields: object }>({
      text: 'select first_name, custom_fields from customer where id = $1',
      values: [done.customerId],
    })
    assert.deepEqual(row, { first_name: 'sync', custom_fields: { loyaltyLevel: '1' } })
  }
  await checkConsistency(database)
})

test('a sync edit waits for a crowd of async ones acknowledged before it', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using service = await startShopService({ databaseUrl: place.url })
  // More than one batch of the lane, so that the sync edit has to let some of them pass.
  const crowd = rounds(1200)
  const edits = Array.from({ length: crowd }, (_, number) =>
    call(service.baseUrl, shop, {
      mode: 'async',
      operation: 'EditCustomer',
      body: editXml({ ids: IDS, customFields: { loyaltyLevel: String(number) } }),
    }),
  )
  for (const { status } of await Promise.all(edits)) assert.equal(status, 'Success')
  const done = await call(service.baseUrl, shop, {
    mode: 'sync',
    operation: 'EditCustomer',
    body: editXml({ ids: IDS, customFields: { loyaltyLevel: '-1' } }),
  })
  assert.equal(done.status, 'Success', done.text)
  await eventually('the inbox is empty', () => isDrained(database))
  const told = await valuesTold(database, 'loyaltyLevel')
  assert.equal(told.length, crowd + 1)
  assert.equal(told.at(-1), '-1')
  await checkConsistency(database)
})

/** The numbers of the edits in the order in which the service accepted them. */
async function acceptedOrder(sql: Sql): Promise<number[]> {
  const rows = await sql.query<{ id: string }>({
    text: 'select id from registered_transaction order by operation_id',
  })
  return rows.map((row) => Number(row.id))
}

/** The history tells of the edits in this order, each with all its parts, and the last one won. */
async function assertDoneInOrder(sql: Sql, numbers: number[]): Promise<void> {
  const isOurs = (value: string) => numbers.includes(Number(/\d+/.exec(value)?.[0]))
  const level = (await valuesTold(sql, 'loyaltyLevel')).filter(isOurs)
  assert.deepEqual(level.map(Number), numbers)
  const place = (remainder: number) => numbers.filter((number) => number % 4 === remainder)
  const told = {
    0: (await valuesTold(sql, 'interests')).filter(isOurs),
    1: (await valuesTold(sql, 'passportNote')).filter(isOurs),
    2: (await namesTold(sql, 'firstName')).filter(isOurs),
    3: (await namesTold(sql, 'lastName')).filter(isOurs),
  }
  assert.deepEqual(told, {
    0: place(0).map((number) => `["hobby ${number}"]`),
    1: place(1).map((number) => `note ${number}`),
    2: place(2).map((number) => `Anna ${number}`),
    3: place(3).map((number) => `Smith ${number}`),
  })
  assert.deepEqual(await customer(sql), {
    first_name: `Anna ${place(2).at(-1)}`,
    last_name: `Smith ${place(3).at(-1)}`,
    custom_fields: {
      loyaltyLevel: String(numbers.at(-1)),
      interests: [`hobby ${place(0).at(-1)}`],
      passportNote: `note ${place(1).at(-1)}`,
    },
  })
}

async function valuesTold(sql: Sql, field: string): Promise<string[]> {
  const rows = await sql.query<{ value: string }>({
    text: `select coalesce(state ->> 'value', state ->> 'encryptedValue') as value from history
            where table_name = 'CDP.CustomerCustomFields' and state ->> 'fieldSystemName' = $1
            order by at`,
    values: [field],
  })
  return rows.map((row) => row.value)
}

/** The values that a column of the customer took, one after another. */
async function namesTold(sql: Sql, column: string): Promise<string[]> {
  const rows = await sql.query<{ value: string | null }>({
    text: `select state ->> $1 as value from history
            where table_name = 'CDP.Customers' order by at`,
    values: [column],
  })
  return rows
    .map((row) => row.value ?? '')
    .filter((value, index, all) => value !== '' && value !== all[index - 1])
}

async function customer(
  sql: Sql,
): Promise<{ first_name: string; last_name: string; custom_fields: Record<string, unknown> }> {
  const rows = await sql.query<Awaited<ReturnType<typeof customer>>>({
    text: 'select first_name, last_name, custom_fields from customer',
  })
  const [row] = rows
  assert.ok(row !== undefined && rows.length === 1, `${rows.length} customers`)
  return row
}
