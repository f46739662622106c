import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { revokeKey } from '#projects'
import { eventually } from '../support/eventually.ts'
import { aPerson } from '../support/people.ts'
import { ticketByEmail } from '../support/tickets.ts'
import { newKey, putInForce, startWideShop, type WideShop } from '../support/wide-shop.ts'
import { wideShopFiles } from '../support/wide-shop-files.ts'
import { assertProtocolError, locationsIn, processed } from '../support/wire.ts'

let shop: WideShop
before(async () => {
  shop = await startWideShop()
})
after(() => shop[Symbol.asyncDispose]())

const edit = (operation: string, options = {}) =>
  shop.call(operation, { customer: { email: aPerson().email } }, options)

test('a new revision changes a running process', async () => {
  const customer = { email: aPerson().email, customFields: { shoeSize: '44' } }
  assertProtocolError(await edit('EditShoes'), 400)
  assert.deepEqual(locationsIn(await shop.call('Edit', { customer })), [
    '/customer/customFields/shoeSize',
  ])
  await putInForce(
    shop.database,
    wideShopFiles((project) =>
      project
        .replace('operations:\n', 'operations:\n  EditShoes: { kind: editCustomer }\n')
        .replace('customFields:\n', 'customFields:\n  shoeSize: integer\n')
        .replace('  EditKnown: { kind: editCustomer, whenNotFound: ignore }\n', ''),
    ),
  )
  await eventually(
    'the operation is known',
    async () => (await edit('EditShoes')).httpStatus === 200,
  )
  processed(await shop.call('Edit', { customer }), 'Created')
  assertProtocolError(await edit('EditKnown'), 400)

  await putInForce(shop.database, wideShopFiles())
  await eventually('the revision is back', async () => (await edit('EditShoes')).httpStatus === 400)
  processed(await edit('Edit'), 'Created')
})

test('what was accepted under an old revision is done as it was accepted', async () => {
  const { email } = aPerson()
  const query = { transactionId: 'old-revision' }
  await shop.database.transaction(async (transaction) => {
    await transaction.query({ text: 'select from lane for update' })
    await shop.call('Welcome', { customer: { email } }, { query, mode: 'async' })
    await putInForce(
      shop.database,
      wideShopFiles((project) => project.replace(/\n {2}Welcome: [^\n]*/, '')),
    )
    await eventually('it cannot be called any more', async () => {
      return (await edit('Welcome')).httpStatus === 400
    })
  })
  await eventually('it is done', async () => {
    const { body } = await shop.transaction('old-revision')
    return (body.transaction as { state: string }).state === 'Done'
  })
  const messages = await shop.database.query({
    text: 'select from message where address = $1',
    values: [email],
  })
  assert.equal(messages.length, 1)
})

test('a revoked key stops working, for calls and for tickets, and the others go on', async () => {
  const endpointId = 'wide-shop.website'
  const fresh = await newKey(shop.database, endpointId)
  await eventually('the new key works', async () => {
    return (await edit('Edit', { key: fresh.value })).httpStatus === 200
  })
  const { email } = aPerson()
  processed(await shop.call('Edit', { customer: { email } }), 'Created')
  const customer = { authenticationTicket: ticketByEmail(email, fresh.value) }
  processed(await shop.call('EditByTicket', { customer }, { key: null }), 'NotChanged')

  await shop.database.transaction((transaction) =>
    revokeKey(transaction, { endpointId, keyId: fresh.id }),
  )
  await eventually('it is refused', async () => {
    return (await edit('Edit', { key: fresh.value })).httpStatus === 403
  })
  assertProtocolError(
    await shop.call('EditByTicket', { customer }, { key: null }),
    403,
    /not signed/,
  )
  assertProtocolError(await shop.transaction('any', { key: fresh.value }), 403)
  processed(await edit('Edit'), 'Created')
})
