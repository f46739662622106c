import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { aPerson, type Person } from '../support/people.ts'
import { countOf, storedCustomer } from '../support/stored.ts'
import { putInForce, startWideShop, type WideShop } from '../support/wide-shop.ts'
import { wideShopFiles } from '../support/wide-shop-files.ts'
import { assertProtocolError, locationsIn, processed, type Tree } from '../support/wire.ts'

let shop: WideShop
before(async () => {
  shop = await startWideShop()
})
after(() => shop[Symbol.asyncDispose]())

/** A call that nobody vouches for. */
const openly = (customer: Tree, mode = 'sync') =>
  shop.call('EditOpenly', { customer }, { key: null, mode })

async function aKnownPerson(): Promise<Person & { customerId: string }> {
  const person = aPerson()
  const { webSiteUserId, email } = person
  const customer = { ids: { webSiteUserId }, email, firstName: 'Anna', password: 'secret' }
  return { ...person, customerId: processed(await shop.call('Edit', { customer }), 'Created') }
}

describe('an operation without authentication', () => {
  test('does its work and says nothing about the customer, known or not', async () => {
    const known = await aKnownPerson()
    const people = await countOf(shop.database, 'customer')
    for (const email of [known.email, aPerson().email]) {
      const answer = await openly({ email, lastName: 'Ivanova' })
      assert.deepEqual(answer.body, { status: 'Success' })
    }
    assert.equal((await storedCustomer(shop.database, known.customerId))?.lastName, 'Ivanova')
    assert.equal(await countOf(shop.database, 'customer'), people + 1)
  })

  test('says nothing more to a caller with a key, and refuses a wrong one', async () => {
    const { email } = await aKnownPerson()
    const answer = await shop.call('EditOpenly', { customer: { email } })
    assert.deepEqual(answer.body, { status: 'Success' })
    const wrong = await shop.call('EditOpenly', { customer: { email } }, { key: 'wrong' })
    assertProtocolError(wrong, 403)
  })

  test('tells of the message it triggered, not of whom it is for', async () => {
    const { email } = aPerson()
    const { body } = await shop.call('WelcomeOpenly', { customer: { email } }, { key: null })
    assert.deepEqual(Object.keys(body), ['status', 'message'])
    assert.partialDeepStrictEqual(body.message, { channel: 'Email', mailing: 'welcome' })
  })

  test('changes no contact and no id of anybody', async () => {
    const { customerId, webSiteUserId, email } = await aKnownPerson()
    const before = await storedCustomer(shop.database, customerId)
    const fresh = aPerson()
    const ids = { webSiteUserId }
    const cases: [Tree, string][] = [
      [{ ids, email: fresh.email }, '/customer/email'],
      [{ ids, email: null }, '/customer/email'],
      [{ ids, mobilePhone: fresh.mobilePhone }, '/customer/mobilePhone'],
      [{ ids: { ...ids, crmId: fresh.crmId } }, '/customer/ids/crmId'],
      [{ email, ids: { webSiteUserId: null } }, '/customer/ids/webSiteUserId'],
    ]
    for (const [customer, location] of cases) {
      assert.deepEqual(locationsIn(await openly({ ...customer, firstName: 'X' })), [location])
    }
    assert.deepEqual(await storedCustomer(shop.database, customerId), before)
  })

  test('takes no password, of somebody known or new, in either mode', async () => {
    const { email } = await aKnownPerson()
    for (const mode of ['sync', 'async']) {
      for (const password of ['mine', null]) {
        for (const name of [email, aPerson().email]) {
          const answer = await openly({ email: name, password }, mode)
          assert.deepEqual(locationsIn(answer), ['/customer/password'])
        }
      }
    }
  })

  test('merges nobody', async () => {
    const known = await aKnownPerson()
    const other = aPerson()
    await shop.call('Edit', { customer: { mobilePhone: other.mobilePhone } })
    const answer = await openly({ email: known.email, mobilePhone: other.mobilePhone })
    assert.deepEqual(locationsIn(answer), ['/customer/mobilePhone'])
    assert.equal(await countOf(shop.database, 'customer_merge'), 0)
  })

  test('that finds out only while it works is recorded as failed', async () => {
    const { webSiteUserId } = await aKnownPerson()
    const transactionId = aPerson().email
    const customer = { ids: { webSiteUserId }, email: aPerson().email }
    const options = { key: null, mode: 'async', query: { transactionId } }
    assert.equal((await shop.call('EditOpenly', { customer }, options)).body.status, 'Success')
    const report = await eventually('it failed', async () => {
      const { body } = await shop.transaction(transactionId)
      const transaction = body.transaction as Record<string, string>
      return transaction.state === 'Accepted' ? undefined : transaction
    })
    assert.equal(report.state, 'Failed')
    assert.match(report.errorMessage ?? '', /^\/customer\/email: cannot be changed/)
  })

  test('cannot have a mailing with html, nor a password among its fields', async () => {
    const withHtml = (project: string) =>
      project.replace('[welcome], authentication: none', '[order], authentication: none')
    await assert.rejects(putInForce(shop.database, wideShopFiles(withHtml)), /no html is accepted/)
    const withPassword = (project: string) =>
      project.replace(
        'EditOpenly: { kind: editCustomer, authentication: none }',
        'EditOpenly: { kind: editCustomer, authentication: none, fields: [email, password] }',
      )
    await assert.rejects(
      putInForce(shop.database, wideShopFiles(withPassword)),
      /nobody may change a password/,
    )
  })
})

describe('the rate of strangers', () => {
  test('is limited per address, and does not use up that of callers with a key', async () => {
    const customer = { email: aPerson().email }
    const call = (key?: null) =>
      shop.call('EditOpenlyRarely', { customer }, key === null ? { key } : {})
    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await call(null)).httpStatus)
    assert.deepEqual(statuses, [200, 200, 429])
    const { httpStatus, headers } = await call()
    assert.equal(httpStatus, 200)
    assert.equal(headers.get('ratelimit-limit'), '4')
    assert.equal(headers.get('ratelimit-remaining'), '3')
  })
})
