import { type HostileBody, hostileBody } from './hostile-bodies.ts'
import { spitefulText } from './hostile-values.ts'
import type { Random } from './random.ts'
import type { Shop } from './shop.ts'

export interface HostileRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** Most requests get as far as their body; the others are stopped on the way there. */
export function hostileRequest(shop: Shop, random: Random): HostileRequest {
  const body = hostileBody(random)
  return {
    method: random.chance(0.01) ? random.pick(['GET', 'PUT', 'DELETE', 'OPTIONS']) : 'POST',
    path: random.chance(0.85) ? goodPath(shop, body, random) : hostilePath(shop, random),
    headers: random.chance(0.85) ? goodHeaders(shop, body, random) : hostileHeaders(shop, random),
    body: body.bytes,
  }
}

function goodPath(shop: Shop, body: HostileBody, random: Random): string {
  const isTrigger = body.bytes.includes('Mailing')
  const operation = isTrigger !== random.chance(0.05) ? 'OrderConfirmation' : 'EditCustomer'
  const query = new URLSearchParams({ endpointId: shop.endpointId, operation })
  if (random.chance(0.3))
    query.set('transactionId', spitefulText(random).toWellFormed().slice(0, 300))
  return `/v3/operations/${random.pick(['sync', 'async'])}?${query}`
}

function hostilePath(shop: Shop, random: Random): string {
  const good = `endpointId=${shop.endpointId}&operation=EditCustomer`
  // Cut anywhere, also within an escape, to stay below the limit of a header.
  const encoded = encodeURIComponent(spitefulText(random).toWellFormed()).slice(0, 3_000)
  return random.pick([
    `/v3/operations/sync?${good}&${good}`,
    `/v3/operations/sync?endpointId=${encoded}&operation=${encoded}`,
    `/v3/operations/sync?endpointId[]=${shop.endpointId}&operation[x]=EditCustomer`,
    `/v3/operations/sync?__proto__=1&constructor=2&${good}`,
    `/v3/operations/sync?${good}&deviceUUID=${encoded}`,
    `/v3/operations/sync?${good}&deviceUUID=5AD03466-A2D3-4B3E-9EBC-0EF3A8CD2A4B`,
    `/v3/operations/sync?${good}&deviceUUID=%00`,
    `/v3/operations/sync?${good}&transactionId=%00`,
    `/v3/operations/sync?${good}&transactionId=%ED%A0%80`,
    `/v3/operations/sync?${good}&transactionId=%zz`,
    `/v3/operations/sync?${good}&transactionId=a&transactiondId=b`,
    `/v3/operations/sync?${good}&transactionId=${'x'.repeat(256)}`,
    `/v3/operations/sync?${'a=1&'.repeat(1_000)}${good}`,
    `/v3/operations/sync?${good}&x=${'y'.repeat(5_000)}`,
    '/v3/operations/sync',
    '/v3/operations/sync?',
    `/v3/operations/${encoded}?${good}`,
    `/v3/operations/SYNC?${good}`,
    `/v3/operations/sync/?${good}`,
    `/v3/operations//sync?${good}`,
    `/v3/operations/sync%00?${good}`,
    '/v3/operations/%zz',
    '/v3/operations/%ff',
    '/v3/../v3/operations/sync',
    '/v3/operations/../../etc/passwd',
    `/v3/transactions/${encoded}?endpointId=${shop.endpointId}`,
    `/v3/transactions/%00?endpointId=${shop.endpointId}`,
    `/v3/transactions/${'x'.repeat(2_000)}?endpointId=${shop.endpointId}`,
    '/v3/',
    '/v3/operations',
  ])
}

function goodHeaders(shop: Shop, body: HostileBody, random: Random): Record<string, string> {
  return {
    authorization: `SecretKey ${shop.secretKey}`,
    'content-type': `application/${body.notation}`,
    ...(random.chance(0.5) ? { accept: `application/${random.pick(['xml', 'json'])}` } : {}),
  }
}

function hostileHeaders(shop: Shop, random: Random): Record<string, string> {
  const key = `SecretKey ${shop.secretKey}`
  const xml = 'application/xml'
  return random.pick<Record<string, string>>([
    {},
    { authorization: key },
    { 'content-type': xml },
    { authorization: `${key}x`, 'content-type': xml },
    { authorization: 'SecretKey', 'content-type': xml },
    { authorization: `Basic ${'A'.repeat(2_000)}`, 'content-type': xml },
    { authorization: `SecretKey ${'k'.repeat(5_000)}`, 'content-type': xml },
    { authorization: key, 'content-type': 'text/plain' },
    { authorization: key, 'content-type': 'application/xml; charset=koi8-r' },
    { authorization: key, 'content-type': 'application/json; charset="utf-8"; charset=x' },
    { authorization: key, 'content-type': `application/xml;${';'.repeat(5_000)}` },
    { authorization: key, 'content-type': 'application/x-www-form-urlencoded' },
    { authorization: key, 'content-type': 'multipart/form-data; boundary=x' },
    { authorization: key, 'content-type': '\u00ff' },
    { authorization: key, 'content-type': xml, 'content-encoding': 'gzip' },
    { authorization: key, 'content-type': xml, accept: 'image/png' },
    { authorization: key, 'content-type': xml, accept: `${'a/b;q=0.1,'.repeat(500)}*/*` },
    { authorization: key, 'content-type': xml, accept: ';;;q=q=q,,,' },
    { authorization: key, 'content-type': xml, accept: 'application/json;q=0, text/xml;q=NaN' },
    { authorization: key, 'content-type': xml, 'idempotency-key': '\u00e9'.repeat(300) },
    { authorization: key, 'content-type': xml, 'idempotency-key': ' ' },
    { authorization: key, 'content-type': xml, 'x-forwarded-for': '::ffff:1, not an address' },
    { authorization: key, 'content-type': xml, expect: '100-continue' },
    { authorization: key, 'content-type': xml, cookie: 'a=b; '.repeat(500) },
  ])
}
