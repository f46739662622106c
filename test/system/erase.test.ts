import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTicket } from '#formats/signature'
import { type CustomerElements, call, editXml, triggerXml } from '../support/calls.ts'
import { posthouse } from '../support/command.ts'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { dumpDatabase } from '../support/dump.ts'
import { eventually } from '../support/eventually.ts'
import type { RunningService } from '../support/processes.ts'
import { openShop, type Shop, startShopService } from '../support/shop.ts'
import { foundIn } from '../support/spellings.ts'

const DEVICE = '5ad03466-a2d3-4b3e-9ebc-0ef3a8cd2a4b'
const PASSWORDS = ['Distinctive-Passw0rd-One', 'Отличительный пароль']

/** Customers are named after the fields that hold their values, each value like no other. */
const ANNA: CustomerElements = {
  ids: { webSiteUserId: 'anna-site-id-7141' },
  email: 'Anna.Distinctive@Example.com',
  mobilePhone: '79161234567',
  lastName: 'Distinctivova',
  firstName: 'Анна-Уникальная',
  birthDate: '1987-06-05',
  customFields: {
    loyaltyLevel: '7142857142',
    discount: '31.4159265',
    lastVisit: '2019-08-07T06:05:04.030201Z',
    petBirthday: '2011-10-09',
    interests: ['rare orchids', 'Редкие орхидеи "в кавычках"'],
    passportNote: 'passport 4509-112233',
  },
  subscriptions: [{ pointOfContact: 'Sms', topic: 'news', isSubscribed: 'false' }],
}
const ANNA_LATER: CustomerElements = {
  ids: { webSiteUserId: 'anna-site-id-7141' },
  email: 'anna.later@example.org',
  lastName: 'Laterova',
  customFields: { passportNote: 'passport 9988-776655', interests: ['glass harmonica'] },
}
/** The same person under another identifier, until the two are merged. */
const ANNA_IN_CRM: CustomerElements = {
  ids: { crmId: 'anna-crm-id-1618' },
  email: 'anna.crm@example.net',
  mobilePhone: '79031112233',
  lastName: 'Crmova',
  firstName: 'Anya-Crm',
  birthDate: '1986-01-02',
  customFields: { passportNote: 'crm passport 5551', loyaltyLevel: '2718281828' },
}
const PARAMETERS = [
  { orderNumber: 'order-number-5772', total: '1234567.89', items: '<b>secret items</b>' },
  { orderNumber: 'order-number-1566' },
]
/** Somebody else, who must not lose anything. */
const BORIS: CustomerElements = {
  ids: { webSiteUserId: 'boris' },
  email: 'boris@example.com',
  lastName: 'Borisov',
  customFields: { interests: ['chess'] },
}

const ERASED = [{ ...ANNA, subscriptions: [] }, ANNA_LATER, ANNA_IN_CRM, ...PARAMETERS].flatMap(
  valuesIn,
)

let place: TestDatabase
let service: RunningService
let shop: Shop
const secrets = [...PASSWORDS]

before(async () => {
  place = await testDatabase()
  shop = await openShop(place.database)
  service = await startShopService({
    databaseUrl: place.url,
    env: { POSTHOUSE_LOG_LEVEL: 'debug' },
  })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

test('an erased customer is nowhere, and what happened to its messages is still there', async () => {
  const { database } = place
  const { anna, crm } = await liveALife()
  await eventually('the inbox is empty', () => isDrained(database))
  assert.equal(await countFailed(), 2)
  const before = await dumpText()
  assert.deepEqual(foundIn(before, ERASED), ERASED, 'the search finds what is there')
  const messagesBefore = await countMessages([anna, crm])
  assert.equal(messagesBefore.messages, 4)

  const busy = new AbortController()
  const others = editBorisUntil(busy.signal)
  const { code, out, err } = await posthouse(
    ['customers', 'erase', '--project', shop.name, '--customer', crm, '--yes'],
    { POSTHOUSE_DATABASE_URL: place.url },
  )
  busy.abort()
  await others
  assert.equal(code, 0, err)
  assert.ok(out.includes(anna) && out.includes(crm), out)
  await eventually('the inbox is empty', () => isDrained(database))

  const dump = await dumpText()
  assert.deepEqual(foundIn(dump, ERASED), [])
  assert.deepEqual(foundIn(service.output(), ERASED), [])
  assert.deepEqual(foundIn(out + err, ERASED), [])
  assert.deepEqual(foundIn(dump, valuesIn(BORIS)), valuesIn(BORIS))
  assert.deepEqual(await countMessages([anna, crm]), { ...messagesBefore, addressed: 0 })
  await assertDeletedInHistory([anna, crm])
  await checkConsistency(database)
})

test('an erased customer can come back as a new one', async () => {
  const again = await edit(ANNA, 'sync')
  assert.match(again.text, /<processingStatus>Created</)
})

test('a password or a ticket is readable in no table and no log', async () => {
  const dump = await dumpText()
  assert.ok(secrets.length > 5)
  assert.deepEqual(foundIn(dump + service.output(), secrets), [])
})

test('without --yes nobody is erased', async () => {
  const { customerId } = await edit(BORIS, 'sync')
  const asked = await posthouse(
    ['customers', 'erase', '--project', shop.name, '--customer', customerId],
    { POSTHOUSE_DATABASE_URL: place.url },
  )
  assert.equal(asked.code, 2)
  assert.match(asked.err, /already published never change/)
  assert.match((await edit(BORIS, 'sync')).text, /<processingStatus>NotChanged</)
})

/** Everything that can happen to a customer here, in both modes. */
async function liveALife(): Promise<{ anna: string; crm: string }> {
  await edit(BORIS, 'sync')
  const anna = (await edit({ ...ANNA, password: PASSWORDS[0] ?? '' }, 'sync')).customerId
  const crm = (await edit(ANNA_IN_CRM, 'sync')).customerId
  await trigger(ANNA, 'email', 0)
  await trigger(ANNA_IN_CRM, 'sms', 1)
  await edit(ANNA_LATER, 'async')
  await edit({ ids: { crmId: 'anna-crm-id-1618' }, password: PASSWORDS[1] ?? '' }, 'async')
  await changeWithTickets()
  await failInMany()
  const both = { ...ANNA.ids, ...ANNA_IN_CRM.ids }
  const merged = await edit({ ids: both }, 'sync')
  assert.match(merged.text, /<processingStatus>Merged</)
  assert.equal(merged.customerId, anna)
  await edit({ ids: both, lastName: 'Distinctivova' }, 'async')
  await trigger(ANNA_LATER, 'email', 1)
  await trigger({ ids: ANNA.ids ?? {} }, 'viber', 0)
  return { anna, crm }
}

/** Good tickets and bad ones, each of which is a secret too. */
async function changeWithTickets(): Promise<void> {
  const at = new Date()
  const id = 'anna-site-id-7141'
  const message = { kind: 'externalIdentity', idKind: 'webSiteUserId', id, at } as const
  const good = makeTicket(message, shop.secretKey)
  const late = makeTicket({ ...message, at: new Date(0) }, shop.secretKey)
  const foreign = makeTicket(message, 'another key')
  for (const authenticationTicket of [good, late, foreign]) {
    const [, signature = ''] = authenticationTicket.split('|')
    secrets.push(authenticationTicket, signature)
    for (const mode of ['sync', 'async'] as const) {
      const { httpStatus } = await call(service.baseUrl, shop, {
        mode,
        operation: 'EditCustomer',
        secretKey: null,
        body: editXml({ authenticationTicket, firstName: 'Анна-Уникальная' }),
      })
      assert.equal(httpStatus, authenticationTicket === good ? 200 : 403)
    }
  }
}

/** Requests of hers that are refused, before the work and in it, must not keep her values either. */
async function failInMany(): Promise<void> {
  await edit({ ids: BORIS.ids ?? {}, email: ANNA_LATER.email ?? '' }, 'async')
  await edit({ ...ANNA, email: BORIS.email ?? '' }, 'async')
  const refused = await call(service.baseUrl, shop, {
    mode: 'sync',
    operation: 'EditCustomer',
    body: editXml({ ...ANNA, birthDate: 'distinctive', mobilePhone: 'anna-site-id-7141' }),
  })
  assert.equal(refused.status, 'ValidationError')
  const broken = await call(service.baseUrl, shop, {
    mode: 'sync',
    operation: 'EditCustomer',
    body: editXml(ANNA).slice(0, -10),
  })
  assert.equal(broken.httpStatus, 400)
}

async function edit(customer: CustomerElements, mode: 'sync' | 'async') {
  const answer = await call(service.baseUrl, shop, {
    mode,
    operation: 'EditCustomer',
    deviceUuid: DEVICE,
    body: editXml(customer),
  })
  assert.equal(answer.status, 'Success', answer.text)
  return answer
}

async function trigger(
  { ids, email, mobilePhone }: CustomerElements,
  channel: 'email' | 'sms' | 'viber',
  parameters: 0 | 1,
): Promise<void> {
  const customer = {
    ids: ids ?? {},
    ...(channel === 'email' && email !== undefined ? { email } : {}),
    ...(channel !== 'email' && mobilePhone !== undefined ? { mobilePhone } : {}),
  }
  const answer = await call(service.baseUrl, shop, {
    mode: parameters === 0 ? 'sync' : 'async',
    operation: 'OrderConfirmation',
    body: triggerXml(customer, channel, { ...PARAMETERS[parameters] }),
  })
  assert.equal(answer.status, 'Success', answer.text)
}

async function editBorisUntil(signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    await call(service.baseUrl, shop, {
      mode: 'async',
      operation: 'EditCustomer',
      body: editXml({ ids: BORIS.ids ?? {}, customFields: { loyaltyLevel: String(count) } }),
    })
  }
}

async function dumpText(): Promise<string> {
  const dump = await dumpDatabase(place.database)
  for (const table of ['customer', 'inbox', 'message', 'operation', 'history_default']) {
    assert.ok(dump.has(table), `${table} is not in the dump`)
  }
  return [...dump].map(([table, rows]) => `${table}\n${rows.join('\n')}`).join('\n')
}

async function countMessages(customerIds: string[]): Promise<Record<string, number>> {
  const [row] = await place.database.query<Record<string, number>>({
    text: `select count(distinct m.id)::int as messages, count(s.id)::int as statuses,
                  count(m.address)::int + count(m.parameters)::int as addressed
             from message m
             join message_status s on s.project_id = m.project_id and s.message_id = m.id
            where m.customer_id = any ($1::bigint[])`,
    values: [customerIds],
  })
  return row ?? {}
}

async function countFailed(): Promise<number> {
  const rows = await place.database.query({ text: `select from operation where state = 'Failed'` })
  return rows.length
}

const KEYS: Record<string, string[]> = {
  'CDP.Customers': ['id'],
  'CDP.ExternalCustomerIdsHistory': ['id'],
  'CDP.MergedCustomers': ['unmergedCustomerId'],
  'CDP.CustomerSubscriptions': ['unmergedCustomerId', 'pointOfContact', 'topicSystemName'],
  'CDP.CustomerDevices': ['deviceUUID'],
  'CDP.CustomerCustomFields': ['unmergedCustomerId', 'fieldSystemName'],
}
const PERSONAL = [
  ...['email', 'mobilePhone', 'lastName', 'firstName', 'birthDate'],
  ...['value', 'encryptedValue'],
]

/** Each of the customer's records was told of once more, as deleted, and no state tells anything. */
async function assertDeletedInHistory(customerIds: string[]): Promise<void> {
  const states = await place.database.query<{ table_name: string; state: Record<string, unknown> }>(
    {
      text: `select table_name, state from history
              where table_name like 'CDP.%' and table_name <> 'CDP.Operations'
                and coalesce(state ->> 'unmergedCustomerId', state ->> 'id') = any ($1::text[])
              order by at`,
      values: [customerIds],
    },
  )
  const last = new Map<string, { table: string; state: Record<string, unknown> }>()
  for (const { table_name: table, state } of states) {
    const shown = JSON.stringify({ table, state })
    for (const column of PERSONAL) assert.equal(state[column] ?? null, null, shown)
    last.set(JSON.stringify([table, ...(KEYS[table] ?? []).map((name) => state[name])]), {
      table,
      state,
    })
  }
  for (const { table, state } of last.values()) {
    assert.equal(state._isDeleted, true, JSON.stringify({ table, state }))
  }
  const tables = new Set([...last.values()].map(({ table }) => table))
  assert.deepEqual([...tables].sort(), Object.keys(KEYS).sort())
}

/** Every text in a tree of values. */
function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : []
}
