import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readJson, readXml } from '#formats/document'
import type { OperationDefinition } from '#projects'
import { anAdmission } from './admission-fixture.ts'
import { EnvelopeReader } from './envelope-reader.ts'
import { type Envelope, readEnvelope } from './read-envelope.ts'

const EDIT: Partial<OperationDefinition> = {}
const TRIGGER: Partial<OperationDefinition> = {
  kind: 'triggerMessage',
  mailings: ['order', 'order-sms'],
}
const CALL = { ticket: null, deviceUuid: null }

function read(text: string, operation: Partial<OperationDefinition> = EDIT, call = CALL) {
  const document = text.startsWith('{') ? readJson(Buffer.from(text)) : readXml(Buffer.from(text))
  assert.equal(document.kind, 'read', text)
  const reader = new EnvelopeReader()
  const admission = anAdmission(operation)
  return { envelope: readEnvelope(reader, document.root, { ...call, admission }), reader }
}

function envelopeOf(text: string, operation = EDIT): Envelope {
  const { envelope, reader } = read(text, operation)
  assert.deepEqual(reader.problems, [])
  assert(envelope !== undefined)
  return envelope
}

function problemsOf(text: string, operation = EDIT): string[] {
  return read(text, operation)
    .reader.problems.map(({ location, message }) => `${location}: ${message}`)
    .sort()
}

const edit = (inside: string) => `<operation><customer>${inside}</customer></operation>`
const named = (inside: string) => edit(`<email>anna@example.com</email>${inside}`)

describe('a customer', () => {
  const whole = {
    ids: [
      { kind: 'customerId', value: '7' },
      { kind: 'webSiteUserId', value: '100' },
    ],
    clearedIds: ['crmId'],
    email: 'anna@example.com',
    mobilePhone: '79161234567',
    lastName: 'Ivanova',
    firstName: null,
    birthDate: '1990-12-31',
    subscriptions: [{ channel: 'Email', topic: 'news', isSubscribed: true }],
    customFields: { size: ' L ', age: null, numbers: ['7', '8'] },
  }

  test('is read from XML, its identifiers in order of precedence', () => {
    const { customer, password } = envelopeOf(
      edit(`
        <ids><webSiteUserId> 100 </webSiteUserId><crmId clear="true"/><customerId>7</customerId></ids>
        <email> anna@example.com </email><mobilePhone>8 (916) 123-45-67</mobilePhone>
        <lastName> Ivanova </lastName><firstName clear="true"/><birthDate>1990-12-31</birthDate>
        <password> p w </password>
        <subscriptions><subscription>
          <pointOfContact>EMAIL</pointOfContact><topic>news</topic><isSubscribed>True</isSubscribed>
        </subscription></subscriptions>
        <customFields>
          <size> L </size><age clear="true"/><numbers><value>7</value><value>08</value></numbers>
        </customFields>`),
    )
    assert.partialDeepStrictEqual(customer, whole)
    assert.equal(password, ' p w ')
  })

  test('is read from JSON the same', () => {
    const { customer } = envelopeOf(
      JSON.stringify({
        customer: {
          ids: { crmId: null, webSiteUserId: 100, customerId: '7' },
          email: 'anna@example.com',
          mobilePhone: 79161234567,
          lastName: 'Ivanova',
          firstName: null,
          birthDate: '1990-12-31',
          subscriptions: [{ pointOfContact: 'Email', topic: 'news', isSubscribed: true }],
          customFields: { size: ' L ', age: null, numbers: [7, '8'] },
        },
      }),
    )
    assert.partialDeepStrictEqual(customer, whole)
  })

  test('is left alone by what is missing or empty', () => {
    const { customer, password } = envelopeOf(
      named(`<ids><crmId/></ids><lastName/><firstName> </firstName><birthDate/><password/>
        <subscriptions/><customFields><size/><age> </age><numbers/></customFields>`),
    )
    assert.equal(password, undefined)
    assert.deepEqual(
      { ...customer, ticket: 0, trust: 0, whenNotFound: 0, neededContact: 0 },
      {
        ids: [],
        clearedIds: [],
        email: 'anna@example.com',
        subscriptions: [],
        customFields: {},
        deviceUuid: null,
        ticket: 0,
        trust: 0,
        whenNotFound: 0,
        neededContact: 0,
      },
    )
  })

  test('must be named', () => {
    const problem = '/customer: send an id, an email, a mobilePhone, a deviceUUID or a ticket'
    for (const unnamed of [
      '<firstName>A</firstName>',
      '<email clear="true"/>',
      '<ids><crmId/></ids>',
    ]) {
      assert.deepEqual(problemsOf(edit(unnamed)), [problem])
    }
  })

  test('with a name that is wrong is not told to send one', () => {
    assert.deepEqual(problemsOf(edit('<email>anna</email>')), [
      '/customer/email: is not an email address',
    ])
  })
})

describe('all problems are found at once', () => {
  const long = (length: number) => 'x'.repeat(length)
  const cases: [what: string, document: string, locations: string[]][] = [
    ['no customer', '<operation/>', ['/customer']],
    [
      'a text for a customer',
      '<operation><customer>x</customer></operation>',
      ['/customer', '/customer'],
    ],
    [
      'two customers',
      `<operation><customer><email>a@example.com</email></customer><customer/></operation>`,
      ['/customer'],
    ],
    [
      'an unknown element',
      `<operation><customer><email>a@example.com</email></customer><x/></operation>`,
      ['/x'],
    ],
    [
      'a message',
      `<operation><customer><email>a@example.com</email></customer><smsMailing/></operation>`,
      ['/smsMailing'],
    ],
    [
      'wrong values',
      edit(`<email>a</email><mobilePhone>12</mobilePhone><birthDate>1990-02-30</birthDate>
        <firstName>${long(101)}</firstName><lastName>${long(101)}</lastName>
        <password>${long(1001)}</password><ids><crmId>${long(1001)}</crmId></ids>`),
      [
        '/customer/birthDate',
        '/customer/email',
        '/customer/firstName',
        '/customer/ids/crmId',
        '/customer/lastName',
        '/customer/mobilePhone',
        '/customer/password',
      ],
    ],
    [
      'wrong custom fields',
      named(`<customFields><age>x</age><colour>blue</colour><shoe>1</shoe><size><a/></size>
        <numbers><value>1</value><value>x</value><other/></numbers></customFields>`),
      [
        '/customer/customFields/age',
        '/customer/customFields/colour',
        '/customer/customFields/numbers/2',
        '/customer/customFields/numbers/other',
        '/customer/customFields/shoe',
        '/customer/customFields/size',
      ],
    ],
    [
      'a list both filled and cleared',
      named('<customFields><numbers clear="true"><value>1</value></numbers></customFields>'),
      ['/customer/customFields/numbers'],
    ],
    [
      'containers that are cleared',
      named('<ids clear="true"/><customFields clear="true"/><subscriptions clear="true"/>'),
      ['/customer/customFields', '/customer/ids', '/customer/subscriptions'],
    ],
    [
      'wrong subscriptions',
      named(`<subscriptions>
        <subscription><pointOfContact>Fax</pointOfContact><isSubscribed>true</isSubscribed></subscription>
        <subscription><topic>nwes</topic><isSubscribed>yes</isSubscribed></subscription>
        <subscription><colour/></subscription><other/></subscriptions>`),
      [
        '/customer/subscriptions/1/pointOfContact',
        '/customer/subscriptions/2/isSubscribed',
        '/customer/subscriptions/2/topic',
        '/customer/subscriptions/3/colour',
        '/customer/subscriptions/3/isSubscribed',
        '/customer/subscriptions/other',
      ],
    ],
    ['an unknown kind of id', edit('<ids><siteId>1</siteId></ids>'), ['/customer/ids/siteId']],
    [
      'a customerId that is cleared',
      named('<ids><customerId clear="true"/></ids>'),
      ['/customer/ids/customerId'],
    ],
    [
      'an element inside a ticket',
      named('<authenticationTicket><x/></authenticationTicket>'),
      ['/customer/authenticationTicket'],
    ],
    [
      'a name twice',
      named('<firstName>A</firstName><firstName>B</firstName>'),
      ['/customer/firstName'],
    ],
  ]
  for (const [what, document, locations] of cases) {
    test(what, () => {
      const found = problemsOf(document).map((problem) => problem.split(':')[0])
      assert.deepEqual(found, locations)
    })
  }

  test('a list of a hundred values is taken, a longer one refused', () => {
    const list = (count: number) =>
      named(`<customFields><numbers>${'<value>1</value>'.repeat(count)}</numbers></customFields>`)
    assert.equal(envelopeOf(list(100)).customer.customFields.numbers?.length, 100)
    assert.equal(problemsOf(list(101)).length, 1)
  })
})

describe('an operation that lists its fields', () => {
  const some = { fields: ['ids.crmId', 'firstName', 'customFields.size'] }

  test('takes those', () => {
    const { customer } = envelopeOf(
      edit(`<ids><crmId>1</crmId></ids><firstName>A</firstName>
        <customFields><size>L</size></customFields>`),
      some,
    )
    assert.equal(customer.firstName, 'A')
    assert.deepEqual(customer.customFields, { size: 'L' })
  })

  test('refuses every other one', () => {
    const found = problemsOf(
      edit(`<ids><crmId>1</crmId><webSiteUserId>1</webSiteUserId></ids><lastName>A</lastName>
        <password>p</password><customFields><age>1</age></customFields><subscriptions/>`),
      some,
    )
    assert.deepEqual(
      found.map((problem) => problem.split(':')[0]),
      [
        '/customer/customFields/age',
        '/customer/ids/webSiteUserId',
        '/customer/lastName',
        '/customer/password',
        '/customer/subscriptions',
      ],
    )
  })

  test('takes whole containers by their name', () => {
    const containers = { fields: ['ids', 'customFields'] }
    const { customer } = envelopeOf(
      edit('<ids><webSiteUserId>1</webSiteUserId></ids><customFields><age>1</age></customFields>'),
      containers,
    )
    assert.deepEqual(customer.customFields, { age: '1' })
  })
})

describe('who vouches', () => {
  const ticket = { kind: 'customer', customerId: '1' } as const

  test('is the key, the ticket or nobody', () => {
    assert.equal(envelopeOf(named('')).customer.trust, 'secretKey')
    const byTicket = read(edit(''), { authentication: 'ticket' }, { ...CALL, ticket } as never)
    assert.equal(byTicket.envelope?.customer.trust, 'ticket')
    assert.deepEqual(byTicket.reader.problems, [])
    assert.equal(envelopeOf(named(''), { authentication: 'none' }).customer.trust, 'none')
  })

  test('nobody, then no password is taken, in any mode', () => {
    const problem = '/customer/password: cannot be changed by an operation without authentication'
    const openly = { authentication: 'none' } as const
    assert.deepEqual(problemsOf(named('<password>p</password>'), openly), [problem])
    assert.deepEqual(problemsOf(named('<password clear="true"/>'), openly), [problem])
  })
})

describe('a message', () => {
  const order = (parameters: string, element = 'emailMailing') =>
    `<operation><customer><email>a@example.com</email></customer>
      <${element}><customParameters>${parameters}</customParameters></${element}></operation>`

  test('has its parameters checked and its defaults filled in', () => {
    const { message, customer } = envelopeOf(
      order(`<orderNumber>7</orderNumber><items><![CDATA[<b>&</b>]]></items><total>1.50</total>
        <isPaid>TRUE</isPaid><day>2026-01-31</day><gifts><value>a</value><value>b</value></gifts>`),
      TRIGGER,
    )
    assert.deepEqual(message, {
      mailing: 'order',
      channel: 'Email',
      parameters: {
        orderNumber: '7',
        items: '<b>&</b>',
        total: '1.5',
        isPaid: 'true',
        day: '2026-01-31',
        gifts: ['a', 'b'],
        shop: 'Corner',
      },
    })
    assert.equal(customer.neededContact, 'email')
  })

  test('needs the phone by SMS', () => {
    const { customer, message } = envelopeOf(order('', 'smsMailing'), TRIGGER)
    assert.equal(customer.neededContact, 'mobilePhone')
    assert.deepEqual(message?.parameters, {})
  })

  test('takes the default for an empty parameter, of a list too', () => {
    const { message } = envelopeOf(order('<orderNumber>7</orderNumber><shop/><gifts/>'), TRIGGER)
    assert.deepEqual(message?.parameters, { orderNumber: '7', gifts: ['bag'], shop: 'Corner' })
  })

  const cases: [what: string, document: string, problems: RegExp[]][] = [
    ['without a required parameter', order(''), [/orderNumber: is required/]],
    ['with an empty one', order('<orderNumber> </orderNumber>'), [/orderNumber: is required/]],
    [
      'with one that is not declared',
      order('<orderNumber>1</orderNumber><x/>'),
      [/customParameters\/x: unknown/],
    ],
    [
      'with markup outside CDATA',
      order('<orderNumber>1</orderNumber><items><b/></items>'),
      [/items: must be a single value/],
    ],
    [
      'with wrong values',
      order('<orderNumber>1</orderNumber><total>x</total><isPaid>1</isPaid><day>1</day>'),
      [/day: must be a date/, /isPaid: must be true/, /total: must be a number/],
    ],
    [
      'by a channel that the operation lacks',
      order('', 'viberMailing'),
      [/viberMailing: this operation has no such/],
    ],
    ['of an operation with several, not chosen', named(''), [/^\/: choose the message/]],
    [
      'chosen twice',
      `<operation><customer><email>a@example.com</email></customer><smsMailing/><emailMailing/></operation>`,
      [/only one mailing element/],
    ],
  ]
  for (const [what, document, problems] of cases) {
    test(`${what} is refused`, () => {
      const found = problemsOf(document, TRIGGER)
      assert.equal(found.length, problems.length, found.join('\n'))
      problems.forEach((problem, index) => {
        assert.match(found[index] ?? '', problem)
      })
    })
  }

  test('takes no other element of the customer', () => {
    const document = order('').replace(
      '</customer>',
      '<firstName>A</firstName><authenticationTicket>x</authenticationTicket></customer>',
    )
    const found = problemsOf(document.replaceAll('emailMailing', 'smsMailing'), TRIGGER)
    assert.deepEqual(
      found.map((problem) => problem.split(':')[0]),
      ['/customer/authenticationTicket', '/customer/firstName'],
    )
  })

  test('without an element is the only one there is', () => {
    const only = { ...TRIGGER, mailings: ['order-sms'] }
    assert.equal(envelopeOf(named(''), only).message?.mailing, 'order-sms')
  })
})
