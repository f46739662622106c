import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeSecretLinkTicket } from '#formats/signature'
import { aPerson, type Person } from '../support/people.ts'
import { countOf, storedCustomer } from '../support/stored.ts'
import { secondsAgo, ticketByEmail, ticketById, ticketByPhone } from '../support/tickets.ts'
import { newKey, putInForce, startWideShop, type WideShop } from '../support/wide-shop.ts'
import {
  type Answer,
  assertProtocolError,
  type CallOptions,
  locationsIn,
  processed,
  type Tree,
} from '../support/wire.ts'

const MINUTE_S = 60
const noKey = { key: null }
const TICKET = '/customer/authenticationTicket'

let shop: WideShop
let key: string
before(async () => {
  shop = await startWideShop()
  key = shop.keys.website
})
after(() => shop[Symbol.asyncDispose]())

/** Somebody the shop knows by everything. */
async function aKnownPerson(): Promise<Person & { customerId: string }> {
  const person = aPerson()
  const { webSiteUserId, crmId, email, mobilePhone } = person
  const customer = { ids: { webSiteUserId, crmId }, email, mobilePhone }
  return { ...person, customerId: processed(await shop.call('Edit', { customer }), 'Created') }
}

async function edit(
  authenticationTicket: string | null,
  changes: Tree = {},
  options: CallOptions & { operation?: string } = noKey,
): Promise<Answer> {
  const customer = {
    ...(authenticationTicket === null ? {} : { authenticationTicket }),
    ...changes,
  }
  return await shop.call(options.operation ?? 'EditByTicket', { customer }, options)
}

describe('a ticket names its customer', () => {
  const kinds: [string, (person: Person & { customerId: string }) => string][] = [
    ['an identifier', ({ webSiteUserId }) => ticketById('webSiteUserId', webSiteUserId, key)],
    ['another identifier', ({ crmId }) => ticketById('crmId', crmId, key)],
    ['the customerId', ({ customerId }) => ticketById('customerId', customerId, key)],
    ['the email', ({ email }) => ticketByEmail(email, key)],
    ['the email in another letter case', ({ email }) => ticketByEmail(email.toUpperCase(), key)],
    ['the phone', ({ mobilePhone }) => ticketByPhone(mobilePhone, key)],
    [
      'the phone as people write it there',
      ({ mobilePhone }) => ticketByPhone(`8${mobilePhone.slice(1)}`, key),
    ],
    [
      'a secret link',
      ({ customerId }) =>
        makeSecretLinkTicket({ customerId, expiresAt: secondsAgo(-3600) }, shop.signingKey),
    ],
    [
      'a secret link of a mailing',
      ({ customerId }) =>
        makeSecretLinkTicket(
          { customerId, mailing: 'welcome', expiresAt: secondsAgo(-10) },
          shop.signingKey,
        ),
    ],
  ]
  for (const [by, ticketFor] of kinds) {
    test(`by ${by}`, async () => {
      const person = await aKnownPerson()
      const answer = await edit(ticketFor(person), { firstName: 'Anna' })
      assert.equal(processed(answer, 'Changed'), person.customerId)
      assert.equal((await storedCustomer(shop.database, person.customerId))?.firstName, 'Anna')
    })
  }

  test('in either case of its hex digits, and with white space around', async () => {
    const { email } = await aKnownPerson()
    const ticket = ticketByEmail(email, key)
    for (const spelling of [ticket.toUpperCase(), ticket.toLowerCase(), `\n  ${ticket}\n`]) {
      processed(await edit(spelling), 'NotChanged')
    }
  })

  test('in JSON too', async () => {
    const { email } = await aKnownPerson()
    const answer = await edit(ticketByEmail(email, key), {}, { ...noKey, notation: 'json' })
    processed(answer, 'NotChanged')
  })

  test('of a customer who was merged away, through the survivor', async () => {
    const [one, other] = [aPerson(), aPerson()]
    const survivor = { ids: { webSiteUserId: one.webSiteUserId } }
    await shop.call('Edit', { customer: survivor })
    const absorbed = await shop.call('Edit', { customer: { email: other.email } })
    const absorbedId = processed(absorbed, 'Created')
    const merged = await shop.call('Edit', { customer: { ...survivor, email: other.email } })
    const link = { customerId: absorbedId, expiresAt: secondsAgo(-60) }
    const answer = await edit(makeSecretLinkTicket(link, shop.signingKey))
    assert.equal(processed(answer, 'NotChanged'), processed(merged, 'Merged'))
  })
})

describe('the time of a ticket', () => {
  const cases: [string, ageS: number, RegExp | null][] = [
    ['29 minutes old is good', 29 * MINUTE_S, null],
    ['31 minutes old is expired', 31 * MINUTE_S, /expired/],
    ['a minute and a half from the future is good', -1.5 * MINUTE_S, null],
    ['three minutes from the future is refused', -3 * MINUTE_S, /from the future/],
  ]
  for (const [what, ageS, refusal] of cases) {
    test(what, async () => {
      const { email } = await aKnownPerson()
      const answer = await edit(ticketByEmail(email, key, ageS))
      if (refusal === null) processed(answer, 'NotChanged')
      else assertProtocolError(answer, 403, refusal)
    })
  }

  test('of a secret link is its own', async () => {
    const { customerId } = await aKnownPerson()
    const link = (expiresAt: Date) =>
      makeSecretLinkTicket({ customerId, expiresAt }, shop.signingKey)
    processed(await edit(link(secondsAgo(-24 * 3600))), 'NotChanged')
    assertProtocolError(await edit(link(secondsAgo(1))), 403, /expired/)
  })
})

describe('a ticket is refused', () => {
  test('when it is malformed', async () => {
    const { email } = await aKnownPerson()
    const [message = '', signature = ''] = ticketByEmail(email, key).split('|')
    for (const ticket of [
      'x',
      message,
      `${message}|`,
      `|${signature}`,
      `zz${message}|${signature}`,
    ]) {
      assertProtocolError(await edit(ticket), 403, /malformed/)
    }
  })

  test('when it is signed with a wrong key', async () => {
    const { email, customerId } = await aKnownPerson()
    assertProtocolError(await edit(ticketByEmail(email, 'wrong')), 403, /not signed/)
    const link = { customerId, expiresAt: secondsAgo(-60) }
    assertProtocolError(await edit(makeSecretLinkTicket(link, key)), 403, /not signed/)
    const withOurs = ticketByEmail(email, shop.signingKey.toString('base64'))
    assertProtocolError(await edit(withOurs), 403, /not signed/)
  })

  test('when its message was changed after it was signed', async () => {
    const [one, other] = [await aKnownPerson(), await aKnownPerson()]
    const [message] = ticketByEmail(other.email, key).split('|')
    const [, signature] = ticketByEmail(one.email, key).split('|')
    assertProtocolError(await edit(`${message}|${signature}`), 403, /not signed/)
  })

  test('when it is of another endpoint', async () => {
    const { email } = await aKnownPerson()
    const ticket = ticketByEmail(email, shop.keys.app)
    assertProtocolError(await edit(ticket), 403, /not signed/)
    processed(await edit(ticket, {}, { ...noKey, endpoint: 'app' }), 'NotChanged')
  })

  test('when it is of another project', async () => {
    const { email } = await aKnownPerson()
    const files = {
      'project.yaml': 'name: other-shop\ndefaultCountry: RU\nendpoints: { website: }\n',
    }
    await putInForce(shop.database, files)
    const { value } = await newKey(shop.database, 'other-shop.website')
    assertProtocolError(await edit(ticketByEmail(email, value)), 403, /not signed/)
  })

  test('when it names a customer in a way this project does not know', async () => {
    assertProtocolError(await edit(ticketById('shoeSize', '44', key)), 403, /in a way unknown/)
    assertProtocolError(await edit(ticketByEmail('nobody', key)), 403, /in a way unknown/)
  })

  test('when it is missing, with 401', async () => {
    const { email } = await aKnownPerson()
    assertProtocolError(await edit(null, { email }), 401, /send an authenticationTicket/)
    assertProtocolError(await edit('  ', { email }), 401)
    const withKey = { key }
    assertProtocolError(await edit(null, { email }, withKey), 401)
  })
})

describe('where key or ticket will do', () => {
  const either = { operation: 'EditByEither' }

  test('each of them does', async () => {
    const { email } = await aKnownPerson()
    processed(await edit(null, { email }, { ...either, key }), 'NotChanged')
    processed(await edit(ticketByEmail(email, key), {}, { ...either, ...noKey }), 'NotChanged')
    processed(await edit(ticketByEmail(email, key), {}, { ...either, key }), 'NotChanged')
  })

  test('neither is 401, and the message names both', async () => {
    const answer = await edit(null, { email: aPerson().email }, { ...either, ...noKey })
    assertProtocolError(answer, 401, /authenticationTicket or a secret key/)
  })

  test('a wrong key beside a good ticket is 403', async () => {
    const { email } = await aKnownPerson()
    const answer = await edit(ticketByEmail(email, key), {}, { ...either, key: 'wrong' })
    assertProtocolError(answer, 403, /secret key/)
  })

  test('a bad ticket beside a good key is 403', async () => {
    const { email } = await aKnownPerson()
    assertProtocolError(await edit('x', { email }, { ...either, key }), 403, /malformed/)
  })
})

describe('a good ticket for nobody', () => {
  test('is a ValidationError and makes nobody', async () => {
    const people = await countOf(shop.database, 'customer')
    const tickets = [
      ticketByEmail(aPerson().email, key),
      ticketById('webSiteUserId', aPerson().webSiteUserId, key),
      ticketByPhone(aPerson().mobilePhone, key),
      ticketById('customerId', '999999999', key),
      ticketById('customerId', 'not-a-number', key),
      makeSecretLinkTicket({ customerId: '1', expiresAt: secondsAgo(-60) }, shop.signingKey),
    ]
    for (const ticket of tickets) {
      const { email } = aPerson()
      assert.deepEqual(locationsIn(await edit(ticket, { email })), [TICKET])
    }
    assert.equal(await countOf(shop.database, 'customer'), people)
  })
})

describe('a ticket lets its bearer edit that customer and no other', () => {
  test('values that belong to somebody else are refused, each at its place', async () => {
    const [anna, boris] = [await aKnownPerson(), await aKnownPerson()]
    const ticket = ticketByEmail(anna.email, key)
    const cases: [Tree, string][] = [
      [{ email: boris.email }, '/customer/email'],
      [{ mobilePhone: boris.mobilePhone }, '/customer/mobilePhone'],
      [{ ids: { crmId: boris.crmId } }, '/customer/ids/crmId'],
      [{ ids: { customerId: boris.customerId } }, '/customer/ids/customerId'],
    ]
    for (const [changes, location] of cases) {
      assert.deepEqual(locationsIn(await edit(ticket, { ...changes, firstName: 'X' })), [location])
    }
    assert.equal((await storedCustomer(shop.database, anna.customerId))?.firstName, null)
    assert.equal((await storedCustomer(shop.database, boris.customerId))?.firstName, null)
  })

  test('nobody is merged by it, with a key beside it neither', async () => {
    const [anna, boris] = [await aKnownPerson(), aPerson()]
    await shop.call('Edit', { customer: { email: boris.email } })
    const merges = await countOf(shop.database, 'customer_merge')
    const ticket = ticketByPhone(anna.mobilePhone, key)
    for (const options of [noKey, { key, operation: 'EditByEither' }]) {
      const answer = await edit(ticket, { email: boris.email }, options)
      assert.deepEqual(locationsIn(answer), ['/customer/email'])
    }
    assert.equal(await countOf(shop.database, 'customer_merge'), merges)
  })

  test('contacts that nobody has become theirs, and an id of theirs is never overwritten', async () => {
    const anna = await aKnownPerson()
    const fresh = aPerson()
    const ticket = ticketById('webSiteUserId', anna.webSiteUserId, key)
    processed(await edit(ticket, { email: fresh.email }), 'Changed')
    assert.equal((await storedCustomer(shop.database, anna.customerId))?.email, fresh.email)
    const answer = await edit(ticket, { ids: { crmId: fresh.crmId } })
    assert.deepEqual(locationsIn(answer), ['/customer/ids/crmId'])
  })

  test('a password alone can be changed', async () => {
    const anna = await aKnownPerson()
    const answer = await edit(ticketByEmail(anna.email, key), { password: 'new one' })
    assert.equal(processed(answer, 'Changed'), anna.customerId)
    const stored = await storedCustomer(shop.database, anna.customerId)
    assert.match(stored?.passwordHash ?? '', /^\$argon2id\$/)
  })
})

test('a ticket belongs to edits: a trigger that carries one is refused', async () => {
  const { email } = await aKnownPerson()
  const customer = { email, authenticationTicket: ticketByEmail(email, key) }
  assert.deepEqual(locationsIn(await shop.call('Welcome', { customer })), [TICKET])
})
