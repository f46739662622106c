import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { aPerson } from '../support/people.ts'
import { ticketByEmail } from '../support/tickets.ts'
import { startWideShop, type WideShop } from '../support/wide-shop.ts'
import type { Answer, CallOptions, Tree } from '../support/wire.ts'

/** Everything that decides which check a call fails. */
interface Attempt extends CallOptions {
  operation: string
  document: Tree | string
}

const HALF_AN_HOUR_S = 31 * 60
const USED = 'used-before'
const known = aPerson()
const tooLarge = `<operation>${' '.repeat(1024 * 1024)}`

let shop: WideShop
before(async () => {
  shop = await startWideShop()
  await shop.call('Edit', { customer: { email: known.email } }, { query: { transactionId: USED } })
  // The mobile app has used up its calls of this one.
  const attempts = Array.from({ length: 20 }, () => attempt({ endpoint: 'app' }))
  for (const one of attempts) await send(one)
})
after(() => shop[Symbol.asyncDispose]())

/** A good call of an operation that needs a ticket, except for what is said. */
function attempt(changes: Partial<Attempt> = {}): Attempt {
  return { operation: 'EditInOrder', document: withTicket(ticket()), ...changes }
}

const ticket = (ageS = 0) => ticketByEmail(known.email, shop.keys.website, ageS)
const withTicket = (authenticationTicket: string, customer: Tree = {}): Tree => ({
  customer: { authenticationTicket, ...customer },
})
const badFields: Tree = { birthDate: 'yesterday' }
const plain = { headers: { 'content-type': 'text/plain' } }
const exhausted = { endpoint: 'app', operation: 'EditInOrder' }
const repeated = { query: { transactionId: USED } }

async function send({ operation, document, ...options }: Attempt): Promise<Answer> {
  return await shop.call(operation, document, options)
}

/** The HTTP status of a refusal, or the status of anything else. */
async function outcomeOf(sent: Attempt): Promise<string> {
  const { httpStatus, body } = await send(sent)
  return httpStatus === 200 ? String(body.status) : String(httpStatus)
}

test('a call wrong in every way, mended one step at a time, meets the checks in their order', async () => {
  let current = attempt({
    mode: 'later',
    endpoint: 'nowhere',
    operation: 'Nothing',
    key: 'wrong',
    document: tooLarge,
    ...plain,
    ...repeated,
  })
  const mends: [string, Partial<Attempt>][] = [
    ['404', { mode: 'sync' }],
    ['401', { endpoint: 'kiosk' }],
    ['400', { operation: 'EditInOrder' }],
    ['403', { endpoint: 'app' }],
    ['403', { key: shop.keys.app }],
    ['429', { endpoint: 'website', key: shop.keys.website }],
    ['415', { headers: {} }],
    ['413', { document: '<operation>' }],
    ['400', { document: { customer: badFields } }],
    ['401', { document: withTicket('not-a-ticket', badFields) }],
    ['403', { document: withTicket(ticket(HALF_AN_HOUR_S), badFields) }],
    ['403', { document: withTicket(ticket(), badFields) }],
    ['ValidationError', { document: withTicket(ticket()) }],
    ['TransactionAlreadyProcessed', { query: { transactionId: 'new' } }],
  ]
  const met: string[] = []
  for (const [, mend] of mends) {
    met.push(await outcomeOf(current))
    current = { ...current, ...mend }
  }
  assert.deepEqual(
    met,
    mends.map(([expected]) => expected),
  )
  assert.equal(await outcomeOf(current), 'Success')
})

describe('of two things wrong the earlier is told:', () => {
  const pairs: [what: string, expected: string, () => Partial<Attempt>][] = [
    ['mode before endpoint', '404', () => ({ mode: 'later', endpoint: 'nowhere' })],
    ['endpoint before operation', '401', () => ({ endpoint: 'nowhere', operation: 'Nothing' })],
    ['operation before permission', '400', () => ({ endpoint: 'kiosk', operation: 'Nothing' })],
    ['permission before key', '403', () => ({ endpoint: 'kiosk', operation: 'Order', key: null })],
    ['a missing key before type', '401', () => ({ operation: 'Edit', key: null, ...plain })],
    ['a wrong key before rate', '403', () => ({ ...exhausted, key: 'wrong' })],
    ['rate before type', '429', () => ({ ...exhausted, ...plain })],
    ['type before size', '415', () => ({ document: tooLarge, ...plain })],
    ['size before body', '413', () => ({ document: tooLarge })],
    ['size before query', '413', () => ({ document: tooLarge, query: { deviceUUID: 'x' } })],
    ['body before ticket', '400', () => ({ document: '<operation><customer/>' })],
    ['the root before ticket', '400', () => ({ document: '<envelope><customer/></envelope>' })],
    [
      'query before ticket',
      '400',
      () => ({ document: { customer: {} }, query: { deviceUUID: 'x' } }),
    ],
    ['a missing ticket before fields', '401', () => ({ document: { customer: badFields } })],
    ['a bad ticket before fields', '403', () => ({ document: withTicket('x', badFields) })],
    [
      'fields before transaction',
      'ValidationError',
      () => ({ document: withTicket(ticket(), badFields), ...repeated }),
    ],
    [
      'transaction before the work',
      'TransactionAlreadyProcessed',
      () => ({
        document: withTicket(ticketByEmail(aPerson().email, shop.keys.website)),
        ...repeated,
      }),
    ],
  ]
  for (const [what, expected, changes] of pairs) {
    test(what, async () => {
      assert.equal(await outcomeOf(attempt({ operation: 'EditByTicket', ...changes() })), expected)
    })
  }
})

test('a forbidden operation is 403 even with the right key, and the message names it', async () => {
  const { httpStatus, body } = await shop.call('Order', {}, { endpoint: 'kiosk' })
  assert.equal(httpStatus, 403)
  assert.match(String(body.errorMessage), /Order/)
})

test('without endpointId or operation the message says what to send', async () => {
  const url = `${shop.service.baseUrl}/v3/operations/sync`
  const nothing = await fetch(url, { method: 'POST' })
  assert.equal(nothing.status, 401)
  assert.match(await nothing.text(), /endpointId=/)
  const half = await fetch(`${url}?endpointId=wide-shop.website`, { method: 'POST' })
  assert.equal(half.status, 400)
  assert.match(await half.text(), /operation=/)
})

test('an operation that is misspelled is told its name', async () => {
  const { body } = await shop.call('EditByTickets', {})
  assert.match(String(body.errorMessage), /did you mean EditByTicket\?/)
})

describe('a compressed or otherwise unreadable body', () => {
  for (const headers of [
    { 'content-encoding': 'gzip' },
    { 'content-type': 'application/xml; charset=windows-1251' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ]) {
    test(`with ${Object.entries(headers)} is 415`, async () => {
      assert.equal(await outcomeOf(attempt({ operation: 'Edit', headers })), '415')
    })
  }

  test('of more than a mebibyte is 413 also when it does not say its length', async () => {
    const chunks = async function* () {
      for (let count = 0; count < 20; count++) yield Buffer.alloc(64 * 1024, ' ')
    }
    const query = 'endpointId=wide-shop.website&operation=Edit'
    const response = await fetch(`${shop.service.baseUrl}/v3/operations/sync?${query}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/xml',
        authorization: `SecretKey ${shop.keys.website}`,
      },
      body: ReadableStream.from(chunks()),
      duplex: 'half',
    } as RequestInit)
    assert.equal(response.status, 413)
    assert.match(await response.text(), /<httpStatusCode>413</)
  })

  test('of exactly a mebibyte is read', async () => {
    const { email } = aPerson()
    const inside = `<customer><email>${email}</email></customer>`
    const frame = '<operation></operation>'
    const padding = ' '.repeat(1024 * 1024 - inside.length - frame.length)
    const document = `<operation>${inside}${padding}</operation>`
    assert.equal(Buffer.byteLength(document), 1024 * 1024)
    assert.equal(await outcomeOf(attempt({ operation: 'Edit', document })), 'Success')
  })
})
