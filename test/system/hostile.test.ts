import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { readXml } from '#formats/document'
import type { Sql } from '#platform/database'
import { call, editXml } from '../support/calls.ts'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileRequest, hostileRequest } from '../support/hostile-requests.ts'
import type { RunningService } from '../support/processes.ts'
import { seededRandom } from '../support/random.ts'
import { rounds } from '../support/settings.ts'
import { openShop, type Shop, startShopService } from '../support/shop.ts'

const SEED = 20_260_305
const REQUESTS = 10_000
const WARM_UP = 3_000
const CONNECTIONS = 32
/** What the collector may not have returned yet; a leak of one body in ten would be far more. */
const MEMORY_MARGIN_MB = 96

const ANSWERS = new Map([
  ['Success', [200]],
  ['TransactionAlreadyProcessed', [200]],
  ['ValidationError', [200]],
  ['ProtocolError', [400, 401, 403, 404, 413, 415]],
])

test('ten thousand hostile requests are all answered, and none of them leaves a trace', async () => {
  await using place = await testDatabase()
  const { database } = place
  const shop = await openShop(database)
  await using service = await startShopService({ databaseUrl: place.url })
  const random = seededRandom(SEED)
  const requests = Array.from({ length: rounds(REQUESTS) }, () => random.fork())
  const counts = new Map<string, number>()
  const sendAll = async (seeds: typeof requests) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const clients = Array.from({ length: CONNECTIONS }, async () => {
      for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
        const status = await exchange(service.baseUrl, hostileRequest(shop, seed), agent)
        counts.set(status, (counts.get(status) ?? 0) + 1)
      }
    })
    await Promise.all(clients).finally(() => agent.destroy())
  }

  await sendAll(requests.splice(0, WARM_UP))
  const warmMb = await memoryMb(service)
  await sendAll(requests)
  const endMb = await memoryMb(service)

  await eventually('the inbox is empty', () => isDrained(database))
  await assertStored(database, counts.get('Success') ?? 0)
  for (const status of ANSWERS.keys()) assert.ok(counts.get(status), `nothing ended as ${status}`)
  assert.ok(endMb < warmMb + MEMORY_MARGIN_MB, `${warmMb} MB grew to ${endMb} MB`)
  await assertWell(service, shop)
  await checkConsistency(database)
})

test('requests that are not even HTTP are refused, and the next one is served', async () => {
  await using place = await testDatabase()
  const shop = await openShop(place.database)
  await using service = await startShopService({ databaseUrl: place.url })
  const path = `/v3/operations/sync?endpointId=${shop.endpointId}&operation=EditCustomer`
  const start = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: SecretKey ${shop.secretKey}\r\n`
  const xml = `${start}Content-Type: application/xml\r\n`
  const body = editXml({ email: 'anna@example.com' })
  const length = Buffer.byteLength(body)
  const hostile: [what: string, sent: string, answer: RegExp][] = [
    ['a body longer than said', `${xml}Content-Length: 5\r\n\r\n${body}`, /^HTTP\/1.1 400 /],
    ['a body shorter than said', `${xml}Content-Length: ${length + 9}\r\n\r\n${body}`, /^$|408/],
    ['a length of no digits', `${xml}Content-Length: ten\r\n\r\n${body}`, /^HTTP\/1.1 400 /],
    ['a negative length', `${xml}Content-Length: -1\r\n\r\n${body}`, /^HTTP\/1.1 400 /],
    ['a length past all numbers', `${xml}Content-Length: ${'9'.repeat(30)}\r\n\r\n`, /^HTTP.* 4/],
    [
      'two lengths',
      `${xml}Content-Length: 5\r\nContent-Length: ${length}\r\n\r\n${body}`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'a length and chunks',
      `${xml}Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
      /^HTTP\/1.1 400 /,
    ],
    ['a broken chunk', `${xml}Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}`, /^HTTP\/1.1 400 /],
    [
      'chunks past the limit',
      `${xml}Transfer-Encoding: chunked\r\n\r\n${'10000\r\n'.concat('x'.repeat(65_536), '\r\n').repeat(17)}`,
      /^HTTP\/1.1 413 /,
    ],
    ['a header past the limit', `${start}X: ${'x'.repeat(100_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
    ['a header with a NUL', `${start}X: a\0b\r\n\r\n`, /^HTTP\/1.1 400 /],
    ['no HTTP at all', '\u0016\u0003\u0001 hello\r\n\r\n', /^HTTP\/1.1 400 /],
    ['a method of its own', `BREW ${path} HTTP/1.1\r\n\r\n`, /^HTTP\/1.1 400 /],
    ['silence', '', /^$/],
  ]
  for (const [what, sent, expected] of hostile) {
    const answer = await exchangeRaw(service.baseUrl, sent)
    assert.match(answer, expected, what)
    await assertWell(service, shop)
  }
  await checkConsistency(place.database)
})

/** Sends one request and checks that the answer is one of our catalogue. Resolves to its status. */
async function exchange(baseUrl: string, sent: HostileRequest, agent: Agent): Promise<string> {
  const { method, path, headers, body } = sent
  const outgoing = request(baseUrl, { method, path, headers, agent })
  outgoing.end(method === 'POST' ? body : undefined)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const answer = await text(incoming)
  const { statusCode = 0 } = incoming
  // A browser asks so before it calls, and reads the headers only.
  if (method === 'OPTIONS' && statusCode === 204) return 'OPTIONS'
  const shown = `${method} ${path}\n${JSON.stringify(headers)}\n${body.toString('latin1')}`
  const told = `${statusCode} ${answer}\nto ${shown.slice(0, 3_000)}`
  const status = statusOf(incoming.headers['content-type'] ?? '', answer)
  assert.ok(ANSWERS.get(status)?.includes(statusCode), told)
  return method === 'POST' ? status : `${method} ${status}`
}

function statusOf(contentType: string, answer: string): string {
  if (contentType === 'application/json; charset=utf-8') {
    return String((JSON.parse(answer) as { status: unknown }).status)
  }
  assert.equal(contentType, 'application/xml; charset=utf-8', answer)
  const read = readXml(Buffer.from(answer))
  assert.ok(read.kind === 'read' && read.root.name === 'result', answer)
  return read.root.children[0]?.text ?? ''
}

/** Everything that was said yes to is stored and done, and nothing else is. */
async function assertStored(sql: Sql, successCount: number): Promise<void> {
  const states = await sql.query<{ state: string; count: number; poisonous: number }>({
    text: `select state, count(*)::int as count,
                  count(*) filter (where problems::text like '%could not be applied%')::int
                    as poisonous
             from operation group by state`,
  })
  assert.equal(
    states.reduce((sum, { count }) => sum + count, 0),
    successCount,
  )
  assert.deepEqual(
    states.map(({ poisonous }) => poisonous).filter((count) => count > 0),
    [],
    'operations were said yes to that cannot be done',
  )
}

async function assertWell(service: RunningService, shop: Shop): Promise<void> {
  const good = await call(service.baseUrl, shop, {
    mode: 'sync',
    operation: 'EditCustomer',
    body: editXml({ email: 'good@example.com' }),
  })
  assert.equal(`${good.httpStatus} ${good.status}`, '200 Success', good.text)
  assert.doesNotMatch(service.output(), /"level":"(error|fatal)"/)
}

async function memoryMb({ pid }: RunningService): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
}

/** Writes bytes to a connection of their own, and hangs up when nothing more comes. */
async function exchangeRaw(baseUrl: string, sent: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  // The service may hang up while we still write.
  socket.on('error', () => {})
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    answer += chunk
    socket.end()
  })
  socket.setTimeout(QUIET_MS, () => socket.destroy())
  socket.write(sent, 'latin1')
  await new Promise((resolve) => socket.on('close', resolve))
  return answer
}

const QUIET_MS = 500
