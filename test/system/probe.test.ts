import { test } from 'node:test'
import { startWideShop } from '../support/wide-shop.ts'

test('probe', async () => {
  console.time('start')
  await using shop = await startWideShop()
  console.timeEnd('start')
  console.log(await shop.call('Edit', { customer: { email: 'a@example.com' } }))
  console.log(await shop.call('Edit', { customer: { email: 'bad' } }, { notation: 'json' }))
  const t = 'x'.repeat(200)
  console.log(
    await shop.call(
      'Edit',
      { customer: { email: 'a@example.com' } },
      { query: { transactionId: t } },
    ),
  )
  console.log(await shop.transaction(t))
  const r = await fetch(shop.service.baseUrl + '/v3/operations/%zz', {
    method: 'POST',
    body: '<a/>',
  })
  console.log(r.status, await r.text())
  for (const u of [
    '/v3/operations/%zz',
    '/v3/transactions/%E0%A4%A?endpointId=wide-shop.website',
    '/v4/x',
    '/v3/transactions/a%2Fb?endpointId=wide-shop.website',
  ]) {
    const r2 = await fetch(shop.service.baseUrl + u)
    console.log(u, r2.status, await r2.text())
  }
  console.log(await shop.call('Edit', '<operation>' + ' '.repeat(1024 * 1024) + '</operation>'))
})
