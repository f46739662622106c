import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeTicket } from '#formats/signature'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { type Described, type Json, readDescribedApi } from '../support/described-api.ts'
import { eventually } from '../support/eventually.ts'
import type { RunningService } from '../support/processes.ts'
import { openShop, type Shop, startShopService } from '../support/shop.ts'
import { lint, needsXmllint } from '../support/xmllint.ts'

let place: TestDatabase
let proxy: DatabaseProxy
let service: RunningService
let shop: Shop
let api: Described
/** Everything that was answered in XML, for xmllint to read in one go. */
const xmlAnswers: string[] = []
const seen = new Set<string>()

before(async () => {
  place = await testDatabase()
  shop = await openShop(place.database, (definition) => ({
    ...definition,
    operations: definition.operations.flatMap((operation) => [
      operation,
      ...(operation.name === 'EditCustomer'
        ? [
            { ...operation, name: 'Rare', rateLimitPerMinute: 1 },
            { ...operation, name: 'Closed' },
          ]
        : []),
    ]),
    endpoints: definition.endpoints.map((endpoint) => ({
      ...endpoint,
      operations: ['EditCustomer', 'OrderConfirmation', 'Rare'],
    })),
  }))
  proxy = await startDatabaseProxy(place.address)
  service = await startShopService({
    databaseUrl: `postgres://${place.address.user}@127.0.0.1:${proxy.port}/${place.name}`,
    env: { POSTHOUSE_RATE_LIMITS: 'on' },
  })
  const described = await fetch(`${service.baseUrl}/openapi.json`)
  api = readDescribedApi((await described.json()) as Json)
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

interface Sent {
  mode?: string
  operation?: string
  query?: string
  endpointId?: string
  key?: string | null
  type?: string
  body?: string | Record<string, unknown>
}

const EDIT = { customer: { ids: { webSiteUserId: '198412' }, email: 'anna@example.com' } }
const OPERATIONS = 'POST /v3/operations/{mode}'
const TRANSACTIONS = 'GET /v3/transactions/{transactionId}'
const NOTATIONS = ['xml', 'json'] as const

/** Sends it for an answer in each notation, and compares both with what is documented. */
async function sendForBoth(sent: Sent): Promise<number> {
  const { mode = 'sync', operation = 'EditCustomer', endpointId = shop.endpointId } = sent
  const query = `endpointId=${endpointId}&operation=${operation}${sent.query ?? ''}`
  const body = sent.body ?? EDIT
  return await exchange(`/v3/operations/${mode}?${query}`, OPERATIONS, {
    method: 'POST',
    headers: {
      ...authorization(sent.key),
      'content-type':
        sent.type ?? (typeof body === 'string' ? 'application/xml' : 'application/json'),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function readForBoth(path: string, key?: string | null): Promise<number> {
  return await exchange(`/v3/transactions/${path}`, TRANSACTIONS, { headers: authorization(key) })
}

function authorization(key: string | null | undefined): Record<string, string> {
  return key === null ? {} : { authorization: `SecretKey ${key ?? shop.secretKey}` }
}

async function exchange(
  path: string,
  operation: string,
  init: { method?: string; headers: Record<string, string>; body?: string },
): Promise<number> {
  const statuses = new Set<number>()
  for (const notation of NOTATIONS) {
    const accept = `application/${notation}`
    const response = await fetch(`${service.baseUrl}${path}`, {
      ...init,
      headers: { ...init.headers, accept },
    })
    const answer = `${operation} ${response.status}`
    const text = await response.text()
    assert.equal(response.headers.get('content-type'), `${accept}; charset=utf-8`, text)
    for (const name of api.headersOf(answer)) {
      assert.match(response.headers.get(name) ?? 'none', /^\d+$/, `${name} of ${answer}`)
    }
    if (notation === 'json') api.checkJson(answer, JSON.parse(text))
    else xmlAnswers.push(text)
    seen.add(answer)
    statuses.add(response.status)
  }
  const [status = 0] = statuses
  assert.equal(statuses.size, 1, 'the notation of the answer changes its status')
  return status
}

function ticketFor(id: string): string {
  const message = { kind: 'externalIdentity', idKind: 'webSiteUserId', id, at: new Date() } as const
  return makeTicket(message, shop.secretKey)
}

describe('every documented answer can be had and is as documented', () => {
  const order = { customParameters: { orderNumber: 'A-1' } }
  const table: [what: string, status: number, sent: Sent][] = [
    ['an edit', 200, {}],
    ['an async edit', 200, { mode: 'async' }],
    ['a message', 200, { operation: 'OrderConfirmation', body: { ...EDIT, emailMailing: order } }],
    ['a transaction', 200, { query: '&transactionId=t-1' }],
    ['its repetition', 200, { query: '&transactionId=t-1' }],
    ['problems of fields', 200, { body: { customer: { email: 'x', size: 1 }, smsMailing: {} } }],
    ['problems of the work', 200, { body: { customer: { ids: { customerId: '1' } } } }],
    ['a broken body', 400, { body: '<operation>' }],
    ['an empty body', 400, { body: '' }],
    ['a wrong root', 400, { body: '<result/>' }],
    ['an unknown operation', 400, { operation: 'Unknown' }],
    ['a wrong device', 400, { query: '&deviceUUID=1' }],
    ['an unknown endpoint', 401, { endpointId: 'nobody.website' }],
    ['no key', 401, { operation: 'OrderConfirmation', key: null }],
    ['no ticket', 401, { key: null }],
    ['a wrong key', 403, { key: 'ph_wrong' }],
    ['a closed operation', 403, { operation: 'Closed' }],
    ['a wrong ticket', 403, { key: null, body: { customer: { authenticationTicket: 'x' } } }],
    ['a wrong mode', 404, { mode: 'later' }],
    ['a body too large', 413, { body: `<operation>${' '.repeat(1024 * 1024)}</operation>` }],
    ['a wrong type', 415, { type: 'text/plain' }],
  ]
  for (const [what, status, sent] of table) {
    test(`${what} is ${status}`, async () => {
      assert.equal(await sendForBoth(sent), status)
    })
  }

  test('too many calls are 429', async () => {
    // The first uses up what there is.
    await fetch(
      `${service.baseUrl}/v3/operations/sync?endpointId=${shop.endpointId}&operation=Rare`,
      { method: 'POST', headers: authorization(undefined) },
    )
    assert.equal(await sendForBoth({ operation: 'Rare' }), 429)
  })

  test('a transaction is shown or refused', async () => {
    const own = `endpointId=${shop.endpointId}`
    const confirmation = { ...EDIT, emailMailing: order }
    await sendForBoth({
      mode: 'async',
      operation: 'OrderConfirmation',
      query: '&transactionId=t-2',
      body: confirmation,
    })
    const conflict = { customer: { ids: { customerId: '1' } } }
    await sendForBoth({ mode: 'async', query: '&transactionId=t-3', body: conflict })
    await eventually('the second is done', async () => {
      const response = await fetch(`${service.baseUrl}/v3/transactions/t-3?${own}`, {
        headers: authorization(undefined),
      })
      return (await response.text()).includes('<state>Failed</state>')
    })
    for (const id of ['t-1', 't-2', 't-3']) assert.equal(await readForBoth(`${id}?${own}`), 200)
    assert.equal(await readForBoth(`%zz?${own}`), 400)
    assert.equal(await readForBoth('t-1?endpointId=nobody.website'), 401)
    assert.equal(await readForBoth(`t-1?${own}`, null), 401)
    assert.equal(await readForBoth(`t-1?${own}`, 'ph_wrong'), 403)
    assert.equal(await readForBoth(`t-9?${own}`), 404)
  })

  test('pages of the service are there', async () => {
    for (const path of ['/v3/operations.xsd', '/openapi.json', '/metrics', '/healthz', '/readyz']) {
      const response = await fetch(`${service.baseUrl}${path}`)
      await response.text()
      seen.add(`GET ${path} ${response.status}`)
    }
  })

  for (const type of ['application/xml', 'application/json']) {
    test(`the examples in ${type} work when they are sent`, async () => {
      const examples = Object.entries(api.requestExamples(type))
      assert.ok(examples.length >= 3)
      for (const [name, example] of examples) {
        const isTicket = JSON.stringify(example).includes('authenticationTicket')
        const text = typeof example === 'string' ? example : JSON.stringify(example)
        // A ticket holds for half an hour, so the one on paper cannot be a real one.
        const body = text.replace(/45787465[^"<]*/, ticketFor('198412'))
        const response = await fetch(
          `${service.baseUrl}/v3/operations/sync?endpointId=demo-shop.website&operation=${
            text.includes('Mailing') ? 'OrderConfirmation' : 'EditCustomer'
          }`,
          {
            method: 'POST',
            headers: { ...authorization(isTicket ? null : undefined), 'content-type': type },
            body,
          },
        )
        const answer = await response.text()
        assert.match(answer, /Success/, `${name}: ${answer}`)
      }
    })
  }

  test('a fault of the service is 500', async () => {
    await place.database.query({ text: 'alter table registered_transaction rename to away' })
    try {
      assert.equal(await sendForBoth({ query: '&transactionId=t-4' }), 500)
      assert.equal(await readForBoth(`t-1?endpointId=${shop.endpointId}`), 500)
    } finally {
      await place.database.query({ text: 'alter table away rename to registered_transaction' })
    }
    assert.equal(await sendForBoth({ query: '&transactionId=t-4' }), 200)
  })

  test('a database that is away is 503', async () => {
    await proxy[Symbol.asyncDispose]()
    await eventually('the service notices', async () => {
      const { status } = await fetch(`${service.baseUrl}/readyz`)
      seen.add(`GET /readyz ${status}`)
      return status === 503
    })
    assert.equal(await sendForBoth({ mode: 'async' }), 503)
    assert.equal(await readForBoth(`t-1?endpointId=${shop.endpointId}`), 503)
    assert.equal((await fetch(`${service.baseUrl}/healthz`)).status, 200)
  })

  test('and no other answer is documented', () => {
    assert.deepEqual([...seen].sort(), [...api.answers].sort())
  })

  test('every answer in XML is valid by the served schema', needsXmllint, async () => {
    const schema = await (await fetch(`${service.baseUrl}/v3/operations.xsd`)).text()
    assert.ok(xmlAnswers.length > 30)
    assert.deepEqual((await lint(schema, xmlAnswers)).filter(Boolean), [])
  })
})
