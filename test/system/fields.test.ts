import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkConsistency } from '../support/consistency.ts'
import { aPerson } from '../support/people.ts'
import { storedCustomer } from '../support/stored.ts'
import { startWideShop, type WideShop } from '../support/wide-shop.ts'
import {
  type Answer,
  assertProtocolError,
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

type Notation = 'xml' | 'json'

/** Sends the customer and gives what is stored of it afterwards. */
async function edited(customer: Tree, notation: Notation = 'xml') {
  const answer = await shop.call('Edit', { customer }, { notation })
  assert.equal(answer.body.status, 'Success', answer.text)
  const { ids } = answer.body.customer as { ids: { customerId: string } }
  const stored = await storedCustomer(shop.database, ids.customerId)
  assert(stored !== undefined)
  return stored
}

const refusalsOf = async (customer: Tree, notation: Notation = 'xml') =>
  locationsIn(await shop.call('Edit', { customer }, { notation }))

const full = (email: string, mobilePhone: string): Tree => ({
  email,
  mobilePhone,
  lastName: 'Иванова',
  firstName: 'Anna & <co>',
  birthDate: '1990-12-31',
  password: 'secret',
  customFields: { size: 'L', interests: ['tea', 'books'] },
})

for (const notation of ['xml', 'json'] as const) {
  describe(`in ${notation}`, () => {
    test('what is sent is stored', async () => {
      const { email, mobilePhone } = aPerson()
      const { passwordHash, ...stored } = await edited(full(email, mobilePhone), notation)
      assert.partialDeepStrictEqual(stored, {
        email,
        mobilePhone,
        lastName: 'Иванова',
        firstName: 'Anna & <co>',
        birthDate: '1990-12-31',
        customFields: { size: 'L', interests: ['tea', 'books'] },
      })
      assert.match(passwordHash ?? '', /^\$argon2id\$/)
    })

    test('what is missing or empty stays as it is', async () => {
      const { email, mobilePhone, crmId } = aPerson()
      const ids = { crmId }
      const before = await edited({ ...full(email, mobilePhone), ids }, notation)
      const customFields = { size: '', age: '', interests: [] }
      const empty = { lastName: '', firstName: ' ', birthDate: '', password: '', customFields }
      const after = await edited({ ids, email: '', mobilePhone: '', ...empty }, notation)
      assert.deepEqual(after, before)
      assert.deepEqual(await edited({ ids }, notation), before)
    })

    test('what is cleared is gone', async () => {
      const { email, mobilePhone, crmId } = aPerson()
      const ids = { crmId }
      await edited({ ...full(email, mobilePhone), ids }, notation)
      const customFields = { size: null, interests: null, age: null }
      const after = await edited(
        {
          ids,
          email: null,
          mobilePhone: null,
          lastName: null,
          firstName: null,
          birthDate: null,
          password: null,
          customFields,
        },
        notation,
      )
      const nothing = { email: null, mobilePhone: null, lastName: null, firstName: null }
      assert.partialDeepStrictEqual(after, { ...nothing, birthDate: null, passwordHash: null })
      assert.deepEqual(after.customFields, {})
      const again = await shop.call('Edit', { customer: { ids, email: null } }, { notation })
      processed(again, 'NotChanged')
    })

    test('a container cannot be cleared as a whole', async () => {
      const { email } = aPerson()
      const containers = { ids: null, customFields: null, subscriptions: null }
      assert.deepEqual(await refusalsOf({ email, ...containers }, notation), [
        '/customer/customFields',
        '/customer/ids',
        '/customer/subscriptions',
      ])
    })
  })
}

test('a value and clear="true" together are refused', async () => {
  const { email } = aPerson()
  const inside = `<email>${email}</email><firstName clear="true">Anna</firstName>
    <customFields><interests clear="true"><value>x</value></interests></customFields>`
  const answer = await shop.call('Edit', `<operation><customer>${inside}</customer></operation>`)
  assert.deepEqual(locationsIn(answer), ['/customer/customFields/interests', '/customer/firstName'])
})

test('clear="false", attributes and namespaces mean nothing', async () => {
  const { email } = aPerson()
  const answer = await shop.call(
    'Edit',
    `<o:operation xmlns:o="urn:x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
      <customer id="7"><email clear="false" xsi:type="string">${email}</email></customer>
    </o:operation>`,
  )
  processed(answer, 'Created')
})

describe('limits', () => {
  const cases: [Tree, Tree, string][] = [
    [{ firstName: 'x'.repeat(100) }, { firstName: 'x'.repeat(101) }, '/customer/firstName'],
    [{ lastName: '😀'.repeat(100) }, { lastName: '😀'.repeat(101) }, '/customer/lastName'],
    [{ password: 'x'.repeat(1000) }, { password: 'x'.repeat(1001) }, '/customer/password'],
    [
      { customFields: { size: 'x'.repeat(1000) } },
      { customFields: { size: 'x'.repeat(1001) } },
      '/customer/customFields/size',
    ],
    [
      { customFields: { interests: ['x'.repeat(1000)] } },
      { customFields: { interests: ['x'.repeat(1001)] } },
      '/customer/customFields/interests/1',
    ],
    [
      { customFields: { interests: Array(100).fill('x') } },
      { customFields: { interests: Array(101).fill('x') } },
      '/customer/customFields/interests',
    ],
  ]
  for (const [allowed, tooMuch, location] of cases) {
    test(`of ${location}`, async () => {
      const { email } = aPerson()
      await edited({ email, ...allowed })
      assert.deepEqual(await refusalsOf({ email, ...tooMuch }), [location])
    })
  }

  test('of identifiers', async () => {
    const long = aPerson().crmId.padEnd(1000, 'x')
    assert.equal((await edited({ ids: { crmId: long } })).ids.crmId, long)
    assert.deepEqual(await refusalsOf({ ids: { crmId: `${long}x` } }), ['/customer/ids/crmId'])
  })

  test('of contacts', async () => {
    const label = 'b'.repeat(59)
    const email = (last: number) =>
      `${'a'.repeat(64)}@${label}.${label}.${label}.${'c'.repeat(last)}`
    assert.equal((await edited({ email: email(9) })).email?.length, 254)
    assert.deepEqual(await refusalsOf({ email: email(10) }), ['/customer/email'])
    assert.deepEqual(await refusalsOf({ mobilePhone: '7'.repeat(20) }), ['/customer/mobilePhone'])
  })
})

describe('custom fields', () => {
  const good: [string, string, string][] = [
    ['size', ' a text ', ' a text '],
    ['age', '007', '7'],
    ['age', '9223372036854775807', '9223372036854775807'],
    ['discount', '12.50', '12.5'],
    ['isVip', 'TRUE', 'true'],
    ['petBirthday', '2024-02-29', '2024-02-29'],
    ['lastVisit', '2026-03-31T09:30:00+03:00', '2026-03-31T06:30:00Z'],
    ['colour', 'green', 'green'],
  ]
  for (const [field, sent, kept] of good) {
    test(`${field} "${sent}" is kept as "${kept}"`, async () => {
      const { email } = aPerson()
      const { customFields } = await edited({ email, customFields: { [field]: sent } })
      assert.deepEqual(customFields, { [field]: kept })
    })
  }

  const bad: Record<string, string[]> = {
    age: ['1.5', 'x', '9223372036854775808'],
    discount: ['1,5', 'x'],
    isVip: ['yes', '1'],
    petBirthday: ['29.02.2024', '2026-02-29'],
    lastVisit: ['2026-03-31', 'now'],
    colour: ['blue', 'Red'],
  }
  for (const [field, values] of Object.entries(bad)) {
    test(`${field} is neither ${values.join(' nor ')}`, async () => {
      const { email } = aPerson()
      for (const value of values) {
        const refusals = await refusalsOf({ email, customFields: { [field]: value } })
        assert.deepEqual(refusals, [`/customer/customFields/${field}`])
      }
    })
  }

  test('JSON numbers and booleans are read as they are spelled', async () => {
    const { email } = aPerson()
    const document = `{"customer": {"email": "${email}", "customFields":
      {"age": 41, "discount": 12.50, "isVip": true, "luckyNumbers": [7, "8"]}}}`
    processed(await shop.call('Edit', document, { notation: 'json' }), 'Created')
    const { customFields } = await edited({ email })
    const luckyNumbers = ['7', '8']
    assert.deepEqual(customFields, { age: '41', discount: '12.5', isVip: 'true', luckyNumbers })
  })

  test('JSON integers past 2^53 must be strings', async () => {
    const { email } = aPerson()
    const document = (age: string) =>
      `{"customer":{"email":"${email}","customFields":{"age":${age}}}}`
    const number = await shop.call('Edit', document('9007199254740993'), { notation: 'json' })
    assert.deepEqual(locationsIn(number), ['/customer/customFields/age'])
    const text = await shop.call('Edit', document('"9007199254740993"'), { notation: 'json' })
    processed(text, 'Created')
  })

  test('a list is replaced as a whole, in its order', async () => {
    const { email } = aPerson()
    await edited({ email, customFields: { interests: ['a', 'b'] } })
    const { customFields } = await edited({ email, customFields: { interests: ['c', 'a', 'c'] } })
    assert.deepEqual(customFields, { interests: ['c', 'a', 'c'] })
  })

  test('a list is not a value, and a value is not a list', async () => {
    const { email } = aPerson()
    const asValue = await refusalsOf({ email, customFields: { interests: 'tea' } })
    assert.deepEqual(asValue, ['/customer/customFields/interests'])
    const asList = await refusalsOf({ email, customFields: { size: ['L'] } })
    assert.deepEqual(asList, ['/customer/customFields/size'])
  })
})

describe('an element that is not declared is refused wherever it is', () => {
  const { email } = aPerson()
  const cases: [Tree, string][] = [
    [{ customer: { email }, extra: '1' }, '/extra'],
    [{ customer: { email, middleName: 'x' } }, '/customer/middleName'],
    [{ customer: { email, ids: { shoeId: '1' } } }, '/customer/ids/shoeId'],
    [{ customer: { email, customFields: { shoe: '1' } } }, '/customer/customFields/shoe'],
    [
      { customer: { email, subscriptions: [{ isSubscribed: 'true', brand: 'x' }] } },
      '/customer/subscriptions/1/brand',
    ],
    [{ customer: { email: { value: 'x' } } }, '/customer/email'],
  ]
  for (const notation of ['xml', 'json'] as const) {
    for (const [document, location] of cases) {
      test(`${location} in ${notation}`, async () => {
        assert.deepEqual(locationsIn(await shop.call('Edit', document, { notation })), [location])
      })
    }
  }
})

describe('an operation with a list of fields', () => {
  const { webSiteUserId } = aPerson()
  const call = (customer: Tree): Promise<Answer> =>
    shop.call('EditSize', { customer: { ids: { webSiteUserId }, ...customer } })

  test('takes those', async () => {
    processed(await call({ firstName: 'Anna', customFields: { size: 'L' } }), 'Created')
  })

  test('refuses all others', async () => {
    const { email, crmId } = aPerson()
    const answer = await call({
      ids: { webSiteUserId, crmId },
      email,
      lastName: 'x',
      customFields: { age: '1' },
      subscriptions: [{ isSubscribed: 'true' }],
    })
    assert.deepEqual(locationsIn(answer), [
      '/customer/customFields/age',
      '/customer/email',
      '/customer/ids/crmId',
      '/customer/lastName',
      '/customer/subscriptions',
    ])
  })
})

describe('how often an element may be there', () => {
  const xml = (inside: string) => shop.call('Edit', `<operation>${inside}</operation>`)
  const customer = '<customer><email>anna@example.com</email></customer>'

  test('a root other than operation is 400', async () => {
    assertProtocolError(await shop.call('Edit', `<envelope>${customer}</envelope>`), 400, /root/)
    assertProtocolError(await shop.call('Edit', '[]', { notation: 'json' }), 400)
  })

  test('a customer must be there once', async () => {
    assert.deepEqual(locationsIn(await xml('')), ['/customer'])
    assert.deepEqual(locationsIn(await xml(customer + customer)), ['/customer'])
    const twice = '{"customer":{"email":"a@example.com"},"customer":{"email":"b@example.com"}}'
    const answer = await shop.call('Edit', twice, { notation: 'json' })
    assert.deepEqual(locationsIn(answer), ['/customer'])
  })

  test('a mailing element has no place in an edit', async () => {
    assert.deepEqual(locationsIn(await xml(`${customer}<emailMailing/>`)), ['/emailMailing'])
  })

  test('a single element must not be repeated', async () => {
    const twice = '<customer><email>a@example.com</email><email>b@example.com</email></customer>'
    assert.deepEqual(locationsIn(await xml(twice)), ['/customer/email'])
  })
})

describe('characters that no store can hold', () => {
  const xml = (text: string) =>
    `<operation><customer><email>a@example.com</email><firstName>${text}</firstName></customer></operation>`
  const json = (text: string) => `{"customer":{"email":"a@example.com","firstName":"${text}"}}`

  for (const text of ['a&#0;b', 'a&#x0;b', 'a\0b', 'a&#xD800;b']) {
    test(`${JSON.stringify(text)} in XML`, async () => {
      assert.deepEqual(locationsIn(await shop.call('Edit', xml(text))), ['/customer/firstName'])
    })
  }
  for (const text of ['a\\u0000b', '\\ud800', '\\udc00x']) {
    test(`${text} in JSON`, async () => {
      const answer = await shop.call('Edit', json(text), { notation: 'json' })
      assert.deepEqual(locationsIn(answer), ['/customer/firstName'])
    })
  }

  test('a pair of surrogates is a character like any other', async () => {
    const { email } = aPerson()
    const document = `{"customer":{"email":"${email}","firstName":"\\ud83d\\ude00"}}`
    processed(await shop.call('Edit', document, { notation: 'json' }), 'Created')
    assert.equal((await edited({ email })).firstName, '😀')
  })

  test('bytes that are not UTF-8 are 400', async () => {
    const bytes = Buffer.from(xml('caf\u00e9'), 'latin1')
    assertProtocolError(await shop.call('Edit', bytes), 400, /^line 1, column \d+/)
  })
})
