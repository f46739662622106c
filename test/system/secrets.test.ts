import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '@node-rs/argon2'
import { eventually } from '../support/eventually.ts'
import { aPerson } from '../support/people.ts'
import { storedCustomer, textOfTable } from '../support/stored.ts'
import { ticketByEmail } from '../support/tickets.ts'
import { startWideShop } from '../support/wide-shop.ts'
import { assertProtocolError, locationsIn, processed } from '../support/wire.ts'

const PASSWORD = 'correct horse battery staple'
const SECRET_TABLES = ['inbox', 'operation', 'history', 'registered_transaction', 'message']

test('a password is kept as argon2id and is readable nowhere, a ticket neither', async () => {
  await using shop = await startWideShop()
  const { database } = shop
  const { email } = aPerson()
  const ticket = ticketByEmail(email, shop.keys.website)
  const [message = '', signature = ''] = ticket.split('|')
  const secrets = [PASSWORD, ticket, message, signature, signature.toUpperCase()]
  const customer = { email, password: PASSWORD }

  const created = await shop.call('Edit', { customer })
  const id = processed(created, 'Created')
  const byTicket = { authenticationTicket: ticket, password: PASSWORD }
  const changed = await shop.call('EditByTicket', { customer: byTicket }, { key: null })
  processed(changed, 'Changed')

  // While this row is held, accepted operations stay in the inbox, where they can be looked at.
  const query = { transactionId: 'waiting' }
  await database.transaction(async (transaction) => {
    await transaction.query({ text: 'select from lane for update' })
    const options = { mode: 'async', key: null, query }
    await shop.call('EditByTicket', { customer: byTicket }, options)
    const inbox = await textOfTable(database, 'inbox')
    assert.match(inbox, /argon2id/)
    for (const secret of secrets) assert(!inbox.includes(secret))
  })
  await eventually('it is done', async () => {
    const { body } = await shop.transaction('waiting')
    return (body.transaction as { state: string }).state === 'Done'
  })

  // Requests that go wrong in every way that is logged or answered.
  const answers = [created, changed]
  answers.push(await shop.call('Edit', { customer: { ...customer, email: 'x' } }))
  locationsIn(answers.at(-1) ?? created)
  answers.push(
    await shop.call(
      'EditByTicket',
      { customer: { ...byTicket, authenticationTicket: `${ticket}0` } },
      { key: null },
    ),
  )
  assertProtocolError(answers.at(-1) ?? created, 403)
  answers.push(await shop.call('Edit', `<operation><customer><password>${PASSWORD}</customer>`))
  answers.push(await shop.call('Nothing', { customer }, { key: `${shop.keys.website}x` }))

  for (const table of SECRET_TABLES) {
    const text = await textOfTable(database, table)
    for (const secret of [...secrets, '$argon2']) assert(!text.includes(secret), table)
  }
  for (const { text } of answers) {
    for (const secret of [...secrets, 'argon2', shop.keys.website]) assert(!text.includes(secret))
  }
  const log = shop.service.output()
  assert.match(log, /a call was refused/)
  for (const secret of [...secrets, 'argon2', shop.keys.website, email]) {
    assert(!log.includes(secret))
  }

  const stored = await storedCustomer(database, id)
  assert.equal(await verify(stored?.passwordHash ?? '', PASSWORD), true)
  const history = await textOfTable(database, 'history')
  assert.match(history, /hasPassword/)
})
