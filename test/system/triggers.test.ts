import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkConsistency } from '../support/consistency.ts'
import { aPerson } from '../support/people.ts'
import { countOf } from '../support/stored.ts'
import { startWideShop, type WideShop } from '../support/wide-shop.ts'
import { type Answer, locationsIn, processed, type Tree } from '../support/wire.ts'

let shop: WideShop
before(async () => {
  shop = await startWideShop()
})
after(async () => {
  await checkConsistency(shop.database)
  await shop[Symbol.asyncDispose]()
})

const order = (customer: Tree, customParameters: Tree = {}): Tree => ({
  customer,
  emailMailing: { customParameters: { orderNumber: '1001', ...customParameters } },
})

interface StoredMessage {
  customerId: string
  channel: string
  mailing: string
  address: string
  parameters: Record<string, unknown>
  status: string
}

async function messageOf(answer: Answer): Promise<StoredMessage> {
  const { id } = answer.body.message as { id: string }
  const [message] = await shop.database.query<StoredMessage>({
    text: `select customer_id as "customerId", channel, mailing, address, parameters, status
             from message where id = $1`,
    values: [id],
  })
  assert(message !== undefined)
  return message
}

describe('the element picks the mailing', () => {
  const cases: ['emailMailing' | 'smsMailing' | 'viberMailing', string, string][] = [
    ['emailMailing', 'Email', 'order'],
    ['smsMailing', 'Sms', 'order-sms'],
    ['viberMailing', 'Viber', 'order-viber'],
  ]
  for (const [element, channel, mailing] of cases) {
    for (const notation of ['xml', 'json'] as const) {
      test(`${element} in ${notation}`, async () => {
        const { email, mobilePhone } = aPerson()
        const customParameters = { orderNumber: '1' }
        const document = { customer: { email, mobilePhone }, [element]: { customParameters } }
        const answer = await shop.call('Order', document, { notation })
        const customerId = processed(answer, 'Created')
        const address = channel === 'Email' ? email : mobilePhone
        const { parameters, ...message } = await messageOf(answer)
        assert.deepEqual(message, { customerId, channel, mailing, address, status: 'Queued' })
        assert.equal(parameters.orderNumber, '1')
      })
    }
  }

  test('without one the only mailing is sent', async () => {
    const { email } = aPerson()
    const answer = await shop.call('Welcome', { customer: { email } })
    assert.partialDeepStrictEqual(await messageOf(answer), { mailing: 'welcome', address: email })
  })

  test('without one of several the request is refused', async () => {
    const { email } = aPerson()
    assert.deepEqual(locationsIn(await shop.call('Order', { customer: { email } })), ['/'])
  })

  test('two, the same twice, or one that the operation lacks are refused', async () => {
    const { email } = aPerson()
    const customer = `<customer><email>${email}</email></customer>`
    const call = (operation: string, inside: string) =>
      shop.call(operation, `<operation>${customer}${inside}</operation>`)
    const two = await call('Order', '<smsMailing/><viberMailing/>')
    assert.deepEqual(locationsIn(two), ['/viberMailing'])
    const twice = await call('Order', '<viberMailing/><viberMailing/>')
    assert.deepEqual(locationsIn(twice), ['/viberMailing'])
    assert.deepEqual(locationsIn(await call('Welcome', '<smsMailing/>')), ['/smsMailing'])
  })
})

describe('the customer', () => {
  test('is found, or edited with ids and contacts', async () => {
    const { email, mobilePhone, crmId } = aPerson()
    const id = processed(await shop.call('Edit', { customer: { email } }), 'Created')
    const welcome = (customer: Tree) => shop.call('Welcome', { customer })
    assert.equal(processed(await welcome({ email }), 'Found'), id)
    assert.equal(processed(await welcome({ email, mobilePhone, ids: { crmId } }), 'Changed'), id)
    assert.equal(processed(await welcome({ ids: { crmId } }), 'Found'), id)
  })

  test('can be merged by a trigger too', async () => {
    const [one, other] = [aPerson(), aPerson()]
    await shop.call('Edit', { customer: { ids: { crmId: one.crmId } } })
    await shop.call('Edit', { customer: { email: other.email } })
    const customer = { ids: { crmId: one.crmId }, email: other.email }
    const answer = await shop.call('Welcome', { customer })
    const customerId = processed(answer, 'Merged')
    assert.partialDeepStrictEqual(await messageOf(answer), { customerId, address: other.email })
  })

  test('must end up with the contact that the channel needs', async () => {
    const { email, mobilePhone, crmId } = aPerson()
    const messages = await countOf(shop.database, 'message')
    const byEmail = await shop.call('Welcome', { customer: { mobilePhone } })
    assert.deepEqual(locationsIn(byEmail), ['/customer/email'])
    const bySms = await shop.call('Order', { customer: { email }, smsMailing: {} })
    assert.deepEqual(locationsIn(bySms), ['/customer/mobilePhone'])
    await shop.call('Edit', { customer: { ids: { crmId }, email } })
    const cleared = await shop.call('Welcome', { customer: { ids: { crmId }, email: null } })
    assert.deepEqual(locationsIn(cleared), ['/customer/email'])
    const query = { deviceUUID: aPerson().deviceUuid }
    const byDevice = await shop.call('Welcome', { customer: {} }, { query })
    assert.deepEqual(locationsIn(byDevice), ['/customer/email'])
    assert.equal(await countOf(shop.database, 'message'), messages)
  })

  test('who is not found gets no message where that is ignored', async () => {
    const messages = await countOf(shop.database, 'message')
    const { mobilePhone } = aPerson()
    const { body } = await shop.call('OrderKnown', { customer: { mobilePhone } })
    assert.deepEqual(body, { status: 'Success', customer: { processingStatus: 'NotFound' } })
    assert.equal(await countOf(shop.database, 'message'), messages)
  })

  test('has no other elements here', async () => {
    const { email } = aPerson()
    const others: Tree = {
      firstName: 'A',
      lastName: 'B',
      birthDate: '1990-01-01',
      password: 'x',
      subscriptions: [{ isSubscribed: 'true' }],
      customFields: { size: 'L' },
    }
    const answer = await shop.call('Welcome', { customer: { email, ...others } })
    const names = Object.keys(others).sort()
    assert.deepEqual(
      locationsIn(answer),
      names.map((name) => `/customer/${name}`),
    )
  })

  test('has only the fields that the operation lists', async () => {
    const { email, crmId } = aPerson()
    await shop.call('Edit', { customer: { email, ids: { crmId } } })
    const call = (customer: Tree) => shop.call('WelcomeById', { customer })
    processed(await call({ ids: { crmId } }), 'Found')
    assert.deepEqual(locationsIn(await call({ ids: { crmId }, email })), ['/customer/email'])
  })

  test('keeps the address of the moment, whatever changes later', async () => {
    const { email, crmId } = aPerson()
    const answer = await shop.call('Welcome', { customer: { email, ids: { crmId } } })
    await shop.call('Edit', { customer: { ids: { crmId }, email: aPerson().email } })
    assert.equal((await messageOf(answer)).address, email)
  })
})

describe('parameters', () => {
  test('of every type are kept in one spelling, and defaults are filled in', async () => {
    const { email } = aPerson()
    const sent = {
      orderNumber: ' 1001 ',
      items: '<ul><li>Tea & more</li></ul>',
      total: '49.90',
      isPaid: 'TRUE',
      deliveryDate: '2026-12-31',
      gifts: ['a pen', 'a book'],
    }
    const { parameters } = await messageOf(await shop.call('Order', order({ email }, sent)))
    assert.deepEqual(parameters, {
      ...sent,
      total: '49.9',
      isPaid: 'true',
      shop: 'Corner',
      extras: ['bag', 'card'],
    })
  })

  test('in JSON may be numbers and booleans, and null is not sent', async () => {
    const { email } = aPerson()
    const document = `{"customer": {"email": "${email}"}, "emailMailing": {"customParameters":
      {"orderNumber": 1001, "total": 49.90, "isPaid": true, "gifts": [1, "b"], "items": null}}}`
    const answer = await shop.call('Order', document, { notation: 'json' })
    const { parameters } = await messageOf(answer)
    const [shopName, extras] = ['Corner', ['bag', 'card']]
    assert.deepEqual(parameters, {
      orderNumber: '1001',
      total: '49.9',
      isPaid: 'true',
      gifts: ['1', 'b'],
      shop: shopName,
      extras,
    })
  })

  test('html comes in CDATA as it is, markup outside it is refused', async () => {
    const { email } = aPerson()
    const call = (items: string) =>
      shop.call(
        'Order',
        `<operation><customer><email>${email}</email></customer><emailMailing><customParameters>
          <orderNumber>1</orderNumber><items>${items}</items>
        </customParameters></emailMailing></operation>`,
      )
    const html = '<p class="x">Tea &amp; more</p>'
    const { parameters } = await messageOf(await call(`<![CDATA[${html}]]>`))
    assert.equal(parameters.items, html)
    const outside = locationsIn(await call('<p>Tea</p>'))
    assert.deepEqual(outside, ['/emailMailing/customParameters/items'])
  })

  const at = (name: string) => `/emailMailing/customParameters/${name}`
  const refusals: [string, Tree, string[]][] = [
    ['a required one that is missing', { customParameters: {} }, [at('orderNumber')]],
    ['no container where one is required', {}, [at('orderNumber')]],
    ['one that is not declared', { customParameters: { orderNumber: '1', x: '2' } }, [at('x')]],
    [
      'an element beside the container',
      { customParameters: { orderNumber: '1' }, x: '1' },
      ['/emailMailing/x'],
    ],
    [
      'wrong values',
      { customParameters: { orderNumber: '1', total: 'x', isPaid: 'yes', deliveryDate: '1' } },
      [at('deliveryDate'), at('isPaid'), at('total')],
    ],
    ['a value for a list', { customParameters: { orderNumber: '1', gifts: 'pen' } }, [at('gifts')]],
    ['a list for a value', { customParameters: { orderNumber: ['1'] } }, [at('orderNumber')]],
  ]
  for (const [what, emailMailing, locations] of refusals) {
    test(`${what} is refused, in both modes`, async () => {
      const { email } = aPerson()
      for (const mode of ['sync', 'async']) {
        const answer = await shop.call('Order', { customer: { email }, emailMailing }, { mode })
        assert.deepEqual(locationsIn(answer), locations)
      }
    })
  }
})

test('a mailing with a topic is queued for everybody: subscriptions are checked at sending', async () => {
  const { email } = aPerson()
  const subscriptions = [{ isSubscribed: 'false' }]
  await shop.call('Edit', { customer: { email, subscriptions } })
  const answer = await shop.call('News', { customer: { email } })
  assert.partialDeepStrictEqual(await messageOf(answer), { mailing: 'news', status: 'Queued' })
})
