import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTicket } from '#formats/signature'
import { call, editXml, operationUrl, triggerXml } from '../support/calls.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import type { RunningService } from '../support/processes.ts'
import { openShop, type Shop, startShopService } from '../support/shop.ts'

let place: TestDatabase
let service: RunningService
let shop: Shop
before(async () => {
  place = await testDatabase()
  shop = await openShop(place.database)
  service = await startShopService({ databaseUrl: place.url })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const edit = { mode: 'sync', operation: 'EditCustomer' } as const

test('a page in a browser may call from any origin, and is told so before it does', async () => {
  const body = editXml({ email: 'page@example.com' })
  const url = operationUrl(service.baseUrl, shop.endpointId, { ...edit, body })
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://shop.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST')
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /content-type/)
  const answer = await call(service.baseUrl, shop, { ...edit, body, secretKey: null })
  assert.equal(answer.httpStatus, 401)
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
})

test('a key of the wrong shape is a wrong key, even beside a good ticket', async () => {
  const email = 'ticket@example.com'
  await call(service.baseUrl, shop, { ...edit, body: editXml({ email }) })
  const ticket = makeTicket({ kind: 'email', email, at: new Date() }, shop.secretKey)
  const body = editXml({ authenticationTicket: ticket, firstName: 'Anna' })
  for (const authorization of ['SecretKey two words', 'SecretKey', 'secretkey x']) {
    const headers = { authorization }
    const answer = await call(service.baseUrl, shop, { ...edit, body, secretKey: null, headers })
    assert.equal(answer.httpStatus, 403, authorization)
  }
  const good = await call(service.baseUrl, shop, { ...edit, body, secretKey: null })
  assert.equal(good.status, 'Success')
})

test('names of operations are suggested to those who have a key, and to nobody else', async () => {
  const sent = { mode: 'sync', operation: 'EditCustomr', body: '<operation/>' } as const
  const known = await call(service.baseUrl, shop, sent)
  assert.match(known.text, /did you mean EditCustomer/)
  const stranger = await call(service.baseUrl, shop, { ...sent, secretKey: null })
  assert.equal(stranger.httpStatus, 400)
  assert.doesNotMatch(stranger.text, /EditCustomer</)
})

test('a parameter of the query with other capitals is refused, not lost', async () => {
  const body = triggerXml({ email: 'caps@example.com' }, 'email', { orderNumber: '1' })
  const sent = { mode: 'sync', operation: 'OrderConfirmation', body } as const
  const url = operationUrl(service.baseUrl, shop.endpointId, sent)
  const headers = {
    'content-type': 'application/xml',
    authorization: `SecretKey ${shop.secretKey}`,
  }
  const answer = await fetch(`${url}&transactionID=t1`, { method: 'POST', headers, body })
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /other capitals/)
})
