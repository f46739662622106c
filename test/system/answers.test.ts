import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { aPerson } from '../support/people.ts'
import { startWideShop, type WideShop } from '../support/wide-shop.ts'
import { assertProtocolError, locationsIn, processed } from '../support/wire.ts'

let shop: WideShop
before(async () => {
  shop = await startWideShop()
})
after(() => shop[Symbol.asyncDispose]())

const notations = ['xml', 'json'] as const
const tooLarge = ' '.repeat(1024 * 1024 + 1)

for (const notation of notations) {
  describe(`in ${notation}`, () => {
    test('a sync edit answers with the customer and its ids', async () => {
      const { email, webSiteUserId } = aPerson()
      const answer = await shop.call(
        'Edit',
        { customer: { ids: { webSiteUserId }, email } },
        { notation },
      )
      const customerId = processed(answer, 'Created')
      assert.equal(answer.httpStatus, 200)
      assert.deepEqual(answer.body, {
        status: 'Success',
        customer: { processingStatus: 'Created', ids: { customerId, webSiteUserId } },
      })
    })

    test('a sync trigger answers with the message too', async () => {
      const { mobilePhone } = aPerson()
      const order = { customer: { mobilePhone }, smsMailing: {} }
      const { body } = await shop.call('Order', order, { notation })
      assert.deepEqual(Object.keys(body), ['status', 'customer', 'message'])
      const { id, ...message } = body.message as Record<string, string>
      assert.match(id ?? '', /^\d+$/)
      assert.deepEqual(message, { channel: 'Sms', mailing: 'order-sms', status: 'Queued' })
    })

    test('an async operation answers with its status alone, and is done', async () => {
      const { email } = aPerson()
      const options = { notation, mode: 'async', query: { transactionId: email } }
      const { body } = await shop.call('Edit', { customer: { email } }, options)
      assert.deepEqual(body, { status: 'Success' })
      await eventually('the operation is done', async () => {
        const { body: report } = await shop.transaction(email)
        return (report.transaction as Record<string, string>).state === 'Done'
      })
    })

    for (const mode of ['sync', 'async']) {
      test(`a transaction twice is processed once, ${mode}`, async () => {
        const { email } = aPerson()
        const options = { notation, mode, query: { transactionId: email } }
        await shop.call('Edit', { customer: { email } }, options)
        const again = await shop.call('Edit', { customer: { email } }, options)
        assert.equal(again.httpStatus, 200)
        assert.deepEqual(again.body, { status: 'TransactionAlreadyProcessed' })
      })

      test(`all problems of a request come at once, each with its place, ${mode}`, async () => {
        const customer = {
          email: 'nobody',
          mobilePhone: '12',
          birthDate: '1990-02-30',
          colour: 'red',
          customFields: { age: 'old', interests: ['a'], luckyNumbers: ['1', 'x'] },
        }
        const answer = await shop.call('Edit', { customer }, { notation, mode })
        assert.deepEqual(locationsIn(answer), [
          '/customer/birthDate',
          '/customer/colour',
          '/customer/customFields/age',
          '/customer/customFields/luckyNumbers/2',
          '/customer/email',
          '/customer/mobilePhone',
        ])
        assert.deepEqual(Object.keys(answer.body), ['status', 'validationMessages'])
      })
    }

    const good = { customer: { email: 'anna@example.com' } }
    const refusals: [number, () => Parameters<WideShop['call']>][] = [
      [400, () => ['Edit', '<operation', { notation }]],
      [401, () => ['Edit', good, { notation, key: null }]],
      [403, () => ['Edit', good, { notation, key: 'wrong' }]],
      [404, () => ['Edit', good, { notation, mode: 'later' }]],
      [413, () => ['Edit', tooLarge, { notation }]],
      [415, () => ['Edit', 'a=b', { headers: { 'content-type': 'text/csv', accept: accept() } }]],
    ]
    const accept = () => `application/${notation}`
    for (const [httpStatus, call] of refusals) {
      test(`${httpStatus} is a ProtocolError with a reason, and its id is in the log`, async () => {
        const answer = await shop.call(...call())
        assertProtocolError(answer, httpStatus)
        assert.deepEqual(Object.keys(answer.body), [
          'status',
          'errorMessage',
          'errorId',
          'httpStatusCode',
        ])
        assert.match(answer.headers.get('content-type') ?? '', new RegExp(accept()))
        const errorId = String(answer.body.errorId)
        await eventually('the log has it', () => shop.service.output().includes(errorId))
      })
    }

    test('429 says when to come back', async () => {
      const endpoint = notation === 'xml' ? 'website' : 'app'
      const { email } = aPerson()
      const call = () => shop.call('EditRarely', { customer: { email } }, { notation, endpoint })
      const remaining = []
      for (let count = 0; count < 3; count++) {
        const { headers } = await call()
        assert.equal(headers.get('ratelimit-limit'), '3')
        remaining.push(headers.get('ratelimit-remaining'))
      }
      assert.deepEqual(remaining, ['2', '1', '0'])
      const refused = await call()
      assertProtocolError(refused, 429, /more than 3 calls of EditRarely in a minute/)
      const seconds = Number(refused.headers.get('retry-after'))
      assert(seconds >= 1 && seconds <= 60, `${seconds}`)
      assert.equal(refused.headers.get('ratelimit-reset'), String(seconds))
      assert.equal(refused.headers.get('ratelimit-remaining'), '0')
    })
  })
}

test('8,000 calls a minute of an operation are allowed unless it says otherwise', async () => {
  const { headers } = await shop.call('EditKnown', { customer: { email: aPerson().email } })
  assert.equal(headers.get('ratelimit-limit'), '8000')
  assert.equal(headers.get('ratelimit-remaining'), '7999')
})

describe('the notation of the answer', () => {
  const { email } = aPerson()
  const isJson = async (notation: 'xml' | 'json', headers: Record<string, string>) => {
    const { text } = await shop.call('Edit', { customer: { email } }, { notation, headers })
    return text.startsWith('{')
  }

  test('is that of the request unless Accept says otherwise', async () => {
    assert.equal(await isJson('json', {}), true)
    assert.equal(await isJson('xml', {}), false)
    assert.equal(await isJson('xml', { accept: 'application/json' }), true)
    assert.equal(await isJson('json', { accept: 'application/xml' }), false)
    assert.equal(
      await isJson('json', { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' }),
      false,
    )
    assert.equal(await isJson('json', { accept: 'image/png' }), true)
  })

  test('holds for refusals too, also where the type of the body is refused', async () => {
    const headers = { 'content-type': 'text/plain', accept: 'application/json' }
    const answer = await shop.call('Edit', 'x', { headers })
    assertProtocolError(answer, 415)
    assert.equal(answer.text.startsWith('{'), true)
  })
})

test('an answer in XML is the document that the interface shows', async () => {
  const { email } = aPerson()
  const { text } = await shop.call('Edit', { customer: { email } })
  assert.match(
    text,
    /^<\?xml version="1.0" encoding="utf-8"\?>\n<result><status>Success<\/status><customer><processingStatus>Created<\/processingStatus><ids><customerId>\d+<\/customerId><\/ids><\/customer><\/result>$/,
  )
  const { text: wrong } = await shop.call('Edit', { customer: { email: 'x' } })
  const message = '<message>is not an email address</message><location>/customer/email</location>'
  assert.equal(
    wrong.split('\n')[1],
    `<result><status>ValidationError</status><validationMessages><validationMessage>${message}</validationMessage></validationMessages></result>`,
  )
})

describe('an address of nothing', () => {
  for (const path of [
    '/v3',
    '/v3/operations',
    '/v3/operations/sync/more',
    '/v3/customers',
    '/v3/',
  ]) {
    test(`${path} is 404 in our own words`, async () => {
      const response = await fetch(`${shop.service.baseUrl}${path}`, { method: 'POST' })
      assert.equal(response.status, 404)
      if (path !== '/v3') assert.match(await response.text(), /<status>ProtocolError<\/status>/)
    })
  }

  test('an operation cannot be got', async () => {
    const query = `endpointId=wide-shop.website&operation=Edit`
    const response = await fetch(`${shop.service.baseUrl}/v3/operations/sync?${query}`)
    assert.equal(response.status, 404)
    assert.match(await response.text(), /<status>ProtocolError<\/status>/)
  })

  test('an address that cannot be read is 400 in our own words', async () => {
    const response = await fetch(`${shop.service.baseUrl}/v3/operations/%zz`, { method: 'POST' })
    assert.equal(response.status, 400)
    const text = await response.text()
    assert.match(text, /<status>ProtocolError<\/status>/)
    assert.doesNotMatch(text, /FST_/)
  })
})

test('an empty body is 400 and says so', async () => {
  assertProtocolError(await shop.call('Edit', ''), 400, /^line 1, column 1: /)
})

test('what is wrong with a body is told by line and column', async () => {
  const xml = await shop.call('Edit', '<operation>\n  <customer></operation>')
  assertProtocolError(xml, 400, /^line 2, column \d+: /)
  const json = await shop.call('Edit', '{\n"customer": nul}', { notation: 'json' })
  assertProtocolError(json, 400, /^line 2, column \d+: /)
})
