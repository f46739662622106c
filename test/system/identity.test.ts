import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkConsistency } from '../support/consistency.ts'
import { aPerson } from '../support/people.ts'
import { countOf, storedCustomer } from '../support/stored.ts'
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

const edit = (customer: Tree, operation = 'Edit'): Promise<Answer> =>
  shop.call(operation, { customer })

async function created(customer: Tree): Promise<string> {
  return processed(await edit(customer), 'Created')
}

async function stored(id: string) {
  const customer = await storedCustomer(shop.database, id)
  assert(customer !== undefined, `there is no customer ${id}`)
  return customer
}

describe('matching', () => {
  test('customerId is given by the service and names its customer', async () => {
    const { email } = aPerson()
    const customerId = await created({ email })
    const answer = await edit({ ids: { customerId }, firstName: 'Anna' })
    assert.equal(processed(answer, 'Changed'), customerId)
  })

  test('a customerId that nobody has is refused, because it cannot be chosen', async () => {
    for (const customerId of [
      '999999999',
      '0',
      '-1',
      'x',
      '99999999999999999999',
      '9'.repeat(19),
    ]) {
      const answer = await edit({ ids: { customerId }, email: aPerson().email })
      assert.deepEqual(locationsIn(answer), ['/customer/ids/customerId'])
    }
  })

  test('customerId is stronger than every other identifier', async () => {
    const [one, other] = [aPerson(), aPerson()]
    const first = await created({ ids: { crmId: one.crmId } })
    await created({ ids: { webSiteUserId: other.webSiteUserId } })
    const both = { customerId: first, webSiteUserId: other.webSiteUserId }
    assert.equal(processed(await edit({ ids: both }), 'Merged'), first)
  })

  test('the declared kinds come in their order, whatever the order in the document', async () => {
    const [one, other] = [aPerson(), aPerson()]
    await created({ ids: { crmId: one.crmId } })
    const second = await created({ ids: { webSiteUserId: other.webSiteUserId } })
    const both = { crmId: one.crmId, webSiteUserId: other.webSiteUserId }
    assert.equal(processed(await edit({ ids: both }), 'Merged'), second)
  })

  test('an identifier is stronger than an email, an email than a phone', async () => {
    const [one, two, three] = [aPerson(), aPerson(), aPerson()]
    const byPhone = await created({ mobilePhone: one.mobilePhone })
    const byEmail = await created({ email: two.email })
    const contacts = { mobilePhone: one.mobilePhone, email: two.email }
    assert.equal(processed(await edit(contacts), 'Merged'), byEmail)
    const byId = await created({ ids: { crmId: three.crmId } })
    const all = { ...contacts, ids: { crmId: three.crmId } }
    assert.equal(processed(await edit(all), 'Merged'), byId)
    assert.equal(processed(await edit({ ids: { customerId: byPhone } }), 'NotChanged'), byId)
  })

  test('an email is compared case-folded and keeps its first spelling', async () => {
    const { email } = aPerson('Anna')
    const id = await created({ email })
    assert.equal(processed(await edit({ email: email.toUpperCase() }), 'NotChanged'), id)
    assert.equal((await stored(id)).email, email)
  })

  test('a phone is the same however it is written', async () => {
    const { mobilePhone } = aPerson()
    const id = await created({ mobilePhone })
    const rest = mobilePhone.slice(1)
    const spaced = `+7 (${rest.slice(0, 3)}) ${rest.slice(3, 6)}-${rest.slice(6, 8)}-${rest.slice(8)}`
    for (const spelling of [`8${rest}`, rest, spaced]) {
      assert.equal(processed(await edit({ mobilePhone: spelling }), 'NotChanged'), id, spelling)
    }
    assert.equal((await stored(id)).mobilePhone, mobilePhone)
  })

  test('identifiers are compared as they are, without white space around', async () => {
    const { crmId } = aPerson()
    const id = await created({ ids: { crmId } })
    assert.equal(processed(await edit({ ids: { crmId: ` ${crmId} ` } }), 'NotChanged'), id)
    processed(await edit({ ids: { crmId: crmId.toUpperCase() } }), 'Created')
  })

  test('nothing to name a customer by is refused', async () => {
    for (const customer of [
      {},
      { firstName: 'Anna' },
      { ids: {} },
      { email: '' },
      { email: null },
    ]) {
      assert.deepEqual(locationsIn(await edit(customer)), ['/customer'])
    }
  })
})

describe('one match', () => {
  test('weaker values that belong to nobody are edits', async () => {
    const [one, fresh] = [aPerson(), aPerson()]
    const id = await created({ ids: { webSiteUserId: one.webSiteUserId }, email: one.email })
    const { webSiteUserId } = one
    const { crmId, email, mobilePhone } = fresh
    const answer = await edit({ ids: { webSiteUserId, crmId }, email, mobilePhone })
    assert.equal(processed(answer, 'Changed'), id)
    const customer = await stored(id)
    assert.deepEqual(customer.ids, { webSiteUserId, crmId })
    assert.equal(customer.email, email)
    assert.equal(customer.mobilePhone, mobilePhone)
  })

  test('an address that was replaced is free for somebody else', async () => {
    const [one, fresh] = [aPerson(), aPerson()]
    const id = await created({ ids: { crmId: one.crmId }, email: one.email })
    await edit({ ids: { crmId: one.crmId }, email: fresh.email })
    assert.notEqual(await created({ email: one.email }), id)
  })

  test('an identifier is never overwritten, and the answer is at that identifier', async () => {
    const [one, fresh] = [aPerson(), aPerson()]
    const { webSiteUserId, crmId } = one
    const id = await created({ ids: { webSiteUserId, crmId } })
    const weaker = await edit({ ids: { webSiteUserId, crmId: fresh.crmId }, firstName: 'X' })
    assert.deepEqual(locationsIn(weaker), ['/customer/ids/crmId'])
    const stronger = await edit({ ids: { webSiteUserId: fresh.webSiteUserId, crmId } })
    assert.deepEqual(locationsIn(stronger), ['/customer/ids/webSiteUserId'])
    assert.partialDeepStrictEqual(await stored(id), { firstName: null, ids: { crmId } })
  })

  test('a stronger identifier that nobody has is added to who was found by a weaker one', async () => {
    const one = aPerson()
    const id = await created({ email: one.email })
    const answer = await edit({ ids: { webSiteUserId: one.webSiteUserId }, email: one.email })
    assert.equal(processed(answer, 'Changed'), id)
  })

  test('an identifier can be cleared, and given anew', async () => {
    const [one, fresh] = [aPerson(), aPerson()]
    const { webSiteUserId, crmId } = one
    const id = await created({ ids: { webSiteUserId, crmId } })
    processed(await edit({ ids: { webSiteUserId, crmId: null } }), 'Changed')
    assert.deepEqual((await stored(id)).ids, { webSiteUserId })
    processed(await edit({ ids: { webSiteUserId, crmId: fresh.crmId } }), 'Changed')
    assert.notEqual(await created({ ids: { crmId } }), id)
  })
})

describe('two matches', () => {
  test('become one: the stronger survives, its empty fields are filled from the other', async () => {
    const [one, other] = [aPerson(), aPerson()]
    const { webSiteUserId, email } = one
    const survivor = await created({
      ids: { webSiteUserId },
      email,
      firstName: 'Anna',
      customFields: { size: 'S' },
      subscriptions: [{ pointOfContact: 'Email', isSubscribed: 'true' }],
    })
    const absorbed = await created({
      ids: { crmId: other.crmId },
      email: other.email,
      mobilePhone: other.mobilePhone,
      firstName: 'Boris',
      lastName: 'Orlov',
      birthDate: '1990-01-01',
      customFields: { size: 'L', age: '30' },
      subscriptions: [
        { pointOfContact: 'Email', isSubscribed: 'false' },
        { topic: 'offers', isSubscribed: 'true' },
      ],
    })
    const answer = await edit({ ids: { webSiteUserId, crmId: other.crmId } })
    assert.equal(processed(answer, 'Merged'), survivor)
    assert.deepEqual(answer.body.customer, {
      processingStatus: 'Merged',
      ids: { customerId: survivor, webSiteUserId, crmId: other.crmId },
    })
    const { subscriptions, passwordHash, ...customer } = await stored(survivor)
    assert.deepEqual(customer, {
      id: survivor,
      email,
      mobilePhone: other.mobilePhone,
      firstName: 'Anna',
      lastName: 'Orlov',
      birthDate: '1990-01-01',
      customFields: { size: 'S', age: '30' },
      ids: { webSiteUserId, crmId: other.crmId },
      devices: [],
    })
    assert.equal(passwordHash, null)
    assert.deepEqual(
      subscriptions.map((one) => `${one.channel}/${one.topic} ${one.isSubscribed}`).sort(),
      ['Email/null false', 'null/offers true'],
    )
    assert.equal(await storedCustomer(shop.database, absorbed), undefined)
  })

  test('the absorbed customerId stays addressable, through any number of merges', async () => {
    const people = [aPerson(), aPerson(), aPerson()]
    const [first, second, third] = people
    assert(first && second && third)
    const ids = []
    for (const { email } of people) ids.push(await created({ email }))
    await edit({ ids: { customerId: ids[1] ?? '' }, email: third.email })
    const answer = await edit({ ids: { customerId: ids[0] ?? '', crmId: first.crmId } })
    processed(answer, 'Changed')
    await edit({ ids: { crmId: first.crmId, customerId: ids[0] ?? '' }, email: third.email })
    for (const customerId of ids) {
      const found = await edit({ ids: { customerId } })
      assert.equal(processed(found, 'NotChanged'), ids[0])
    }
    const rows = await shop.database.query<{ state: object }>({
      text: `select distinct on (state ->> 'unmergedCustomerId') state from history
              where table_name = 'CDP.MergedCustomers' and state ->> 'unmergedCustomerId' = any ($1)
              order by state ->> 'unmergedCustomerId', at desc`,
      values: [ids],
    })
    assert.equal(rows.length, 2)
    for (const { state } of rows) assert.partialDeepStrictEqual(state, { mergedCustomerId: ids[0] })
  })

  test('devices and messages follow', async () => {
    const [one, other] = [aPerson(), aPerson()]
    const survivor = await created({ ids: { crmId: one.crmId } })
    const query = { deviceUUID: other.deviceUuid, transactionId: other.email }
    const order = { customer: { mobilePhone: other.mobilePhone }, smsMailing: {} }
    await shop.call('Order', order, { query })
    const both = { ids: { crmId: one.crmId }, mobilePhone: other.mobilePhone }
    assert.equal(processed(await edit(both), 'Merged'), survivor)
    assert.deepEqual((await stored(survivor)).devices, [other.deviceUuid])
    const messages = await shop.database.query<{ survivor: string }>({
      text: `select coalesce(g.survivor_id, m.customer_id) as survivor
               from message m left join customer_merge g on g.absorbed_id = m.customer_id
              where m.address = $1`,
      values: [other.mobilePhone],
    })
    assert.deepEqual(messages, [{ survivor }])
  })

  test('that hold two values of a kind are refused at the weaker one, and nothing changes', async () => {
    const [one, other] = [aPerson(), aPerson()]
    const { webSiteUserId, crmId } = one
    const first = await created({ ids: { webSiteUserId } })
    const second = await created({
      ids: { webSiteUserId: other.webSiteUserId, crmId },
      email: other.email,
    })
    const byId = await edit({ ids: { webSiteUserId, crmId }, firstName: 'X' })
    assert.deepEqual(locationsIn(byId), ['/customer/ids/crmId'])
    const byEmail = await edit({ ids: { webSiteUserId }, email: other.email, firstName: 'X' })
    assert.deepEqual(locationsIn(byEmail), ['/customer/email'])
    for (const id of [first, second]) assert.equal((await stored(id)).firstName, null)
  })

  test('three can become one at once', async () => {
    const [one, two, three] = [aPerson(), aPerson(), aPerson()]
    const survivor = await created({ ids: { webSiteUserId: one.webSiteUserId } })
    await created({ ids: { crmId: two.crmId } })
    await created({ email: three.email })
    const ids = { webSiteUserId: one.webSiteUserId, crmId: two.crmId }
    assert.equal(processed(await edit({ ids, email: three.email }), 'Merged'), survivor)
    assert.partialDeepStrictEqual(await stored(survivor), { ids, email: three.email })
  })
})

describe('no match', () => {
  test('creates somebody unless the operation says otherwise', async () => {
    const { email } = aPerson()
    processed(await edit({ email }), 'Created')
  })

  test('is ignored by an operation that says so', async () => {
    const people = await countOf(shop.database, 'customer')
    const { body } = await edit({ email: aPerson().email }, 'EditKnown')
    assert.deepEqual(body, { status: 'Success', customer: { processingStatus: 'NotFound' } })
    const unknown = await edit({ ids: { customerId: '999999999' } }, 'EditKnown')
    assert.deepEqual(unknown.body.customer, { processingStatus: 'NotFound' })
    assert.equal(await countOf(shop.database, 'customer'), people)
  })

  test('is refused by an operation that says so', async () => {
    const people = await countOf(shop.database, 'customer')
    const answer = await edit({ email: aPerson().email }, 'EditOrReject')
    assert.deepEqual(locationsIn(answer), ['/customer'])
    assert.equal(await countOf(shop.database, 'customer'), people)
  })

  test('does not stop those operations from editing who is there', async () => {
    const { email } = aPerson()
    const id = await created({ email })
    assert.equal(processed(await edit({ email, firstName: 'A' }, 'EditKnown'), 'Changed'), id)
    assert.equal(processed(await edit({ email, firstName: 'B' }, 'EditOrReject'), 'Changed'), id)
  })
})

describe('a device', () => {
  const seen = (deviceUUID: string, customer: Tree) =>
    shop.call('Edit', { customer }, { query: { deviceUUID } })

  test('alone makes somebody, and names them from then on', async () => {
    const { deviceUuid } = aPerson()
    const id = processed(await seen(deviceUuid, { firstName: 'Anna' }), 'Created')
    assert.equal(processed(await seen(deviceUuid.toUpperCase(), {}), 'NotChanged'), id)
    assert.deepEqual((await stored(id)).devices, [deviceUuid])
  })

  test('does not match when anything else was sent', async () => {
    const { deviceUuid, email } = aPerson()
    const stranger = processed(await seen(deviceUuid, {}), 'Created')
    const known = processed(await seen(deviceUuid, { email }), 'Created')
    assert.notEqual(known, stranger)
    assert.deepEqual((await stored(known)).devices, [deviceUuid])
  })

  test('does not match somebody who has an id or a contact', async () => {
    for (const name of ['email', 'mobilePhone', 'ids'] as const) {
      const { deviceUuid, email, mobilePhone, crmId } = aPerson()
      const customer = { email, mobilePhone, ids: { crmId } }[name]
      const known = processed(await seen(deviceUuid, { [name]: customer }), 'Created')
      assert.notEqual(processed(await seen(deviceUuid, {}), 'Created'), known)
    }
  })
})
