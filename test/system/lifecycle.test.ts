import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type CallAnswer, call, editXml, triggerXml } from '../support/calls.ts'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { type Program, processesIn, runProgram } from '../support/program.ts'
import { openShop, type Shop, shopEnvironment, startShopService } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const READY = /^Posthouse is ready on (http:\/\/\S+)$/m
const CALLS = 40

function startOn(place: TestDatabase, dataDir: string): Program {
  return runProgram(['start', '--port', '0'], {
    ...shopEnvironment,
    POSTHOUSE_DATABASE_URL: place.url,
    POSTHOUSE_DATA_DIR: dataDir,
  })
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`after ${signal} every request under way is answered, done and not lost`, async () => {
    await using place = await testDatabase()
    await using folder = await temporaryFolder()
    const { database } = place
    const shop = await openShop(database)
    await using program = startOn(place, folder.path)
    const [, baseUrl = ''] = await program.says(READY)

    const waiting: Promise<CallAnswer>[] = []
    await database.transaction(async (transaction) => {
      // Nobody can accept or apply anything until this transaction ends.
      await transaction.query({ text: 'select from lane for update' })
      await transaction.query({ text: 'lock table inbox in exclusive mode' })
      waiting.push(...callMany(baseUrl, shop))
      await eventually('all of them wait in the service', () => areWaiting(baseUrl))
      program.signal(signal)
      await eventually('the service takes no new ones', () => isClosed(baseUrl))
    })
    for (const answer of await Promise.all(waiting)) {
      assert.equal(`${answer.httpStatus} ${answer.status}`, '200 Success', answer.text)
    }
    assert.equal(await program.ended(), 0)

    // What was accepted and not yet applied is done by whoever comes next.
    await using next = await startShopService({ databaseUrl: place.url })
    await eventually('the inbox is empty', () => isDrained(database))
    const done = await database.query({ text: `select from operation where state = 'Done'` })
    assert.equal(done.length, CALLS)
    await checkConsistency(database)
    await next.stop()
  })
}

test('a client that never ends its request holds up the end no longer than ten seconds', async () => {
  await using folder = await temporaryFolder()
  await using program = runProgram(['start', '--port', '0'], {
    POSTHOUSE_DATA_DIR: folder.path,
  })
  const [, baseUrl = ''] = await program.says(READY)
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    'POST /v3/operations/sync HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf of it',
  )
  const idle = connect(Number(port), hostname)
  idle.on('error', () => {})
  await once(idle, 'connect')
  program.signal('SIGTERM')
  assert.notEqual(await program.ended(), 'nothing')
  socket.destroy()
  idle.destroy()
  await eventually('PostgreSQL has ended too', async () => {
    const left = await processesIn(folder.path)
    return left.length === 0
  })
})

test('a service on a given database keeps none of its own, and comes back after being killed', async () => {
  await using place = await testDatabase()
  await using folder = await temporaryFolder()
  const shop = await openShop(place.database)
  const edit = {
    mode: 'sync',
    operation: 'EditCustomer',
    body: editXml({ email: 'a@b.de' }),
  } as const
  for (const expected of ['Created', 'NotChanged']) {
    await using program = startOn(place, folder.path)
    const [, baseUrl = ''] = await program.says(READY)
    const answer = await call(baseUrl, shop, edit)
    assert.match(answer.text, new RegExp(`<processingStatus>${expected}<`))
    program.signal('SIGKILL')
    assert.equal(await program.ended(), 'SIGKILL')
  }
  assert.deepEqual(await readdir(folder.path), [])
})

test('asked a second time, the service stops at once', async () => {
  await using place = await testDatabase()
  await using folder = await temporaryFolder()
  const shop = await openShop(place.database)
  await using program = startOn(place, folder.path)
  const [, baseUrl = ''] = await program.says(READY)
  await place.database.transaction(async (transaction) => {
    await transaction.query({ text: 'select from lane for update' })
    const lost = call(baseUrl, shop, {
      mode: 'sync',
      operation: 'EditCustomer',
      body: editXml({ email: 'anna@example.com' }),
    })
    lost.catch(() => {})
    await eventually('it waits in the service', () => isWaiting(baseUrl, 'sync', 1))
    program.signal('SIGTERM')
    await eventually('the service is stopping', () => isClosed(baseUrl))
    program.signal('SIGTERM')
    assert.equal(await program.ended(), 1)
    await assert.rejects(lost)
  })
  await checkConsistency(place.database)
})

const wrongSettings: [what: string, args: string[], env: Record<string, string>, says: RegExp][] = [
  ['a port out of range', ['start'], { POSTHOUSE_PORT: '99999' }, /POSTHOUSE_PORT/],
  ['a port that is no number', ['start', '--port', 'http'], {}, /--port/],
  ['a demo port that is no number', ['demo', '--port', '80a', '--data', '/nowhere'], {}, /--port/],
  [
    'a foreign database',
    ['start'],
    { POSTHOUSE_DATABASE_URL: 'mysql://x' },
    /POSTHOUSE_DATABASE_URL/,
  ],
  [
    'a database that is not there',
    ['start', '--port', '0'],
    { POSTHOUSE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' },
    /database.*(ECONNREFUSED|refused)/is,
  ],
  ['a log level of its own', ['start'], { POSTHOUSE_LOG_LEVEL: 'loud' }, /POSTHOUSE_LOG_LEVEL/],
  [
    'a short master key',
    ['start'],
    { POSTHOUSE_MASTER_KEY: 'c2hvcnQ=' },
    /master key should be 32 bytes/,
  ],
  ['an unknown option', ['start', '--prot', '1'], {}, /--prot/],
  ['an unknown command', ['strat'], {}, /strat.*posthouse help/],
  [
    'an address that is not ours',
    ['start', '--host', '192.0.2.1', '--port', '0'],
    {},
    /192\.0\.2\.1/,
  ],
]

for (const [what, args, env, says] of wrongSettings) {
  test(`${what} is explained, and nothing is left running`, async () => {
    await using folder = await temporaryFolder()
    await using program = runProgram(args, { POSTHOUSE_DATA_DIR: folder.path, ...env })
    await program.says(says)
    assert.ok([1, 2].includes(Number(await program.ended())), program.output())
    assert.doesNotMatch(program.output(), /\n\s+at |node:internal/)
    await eventually('no process is left', async () => {
      const left = await processesIn(folder.path)
      return left.length === 0
    })
  })
}

test('a port that is taken is explained', async () => {
  await using place = await testDatabase()
  await using folder = await temporaryFolder()
  await using service = await startShopService({ databaseUrl: place.url })
  const { port } = new URL(service.baseUrl)
  await using program = runProgram(['start', '--port', port], {
    ...shopEnvironment,
    POSTHOUSE_DATABASE_URL: place.url,
    POSTHOUSE_DATA_DIR: folder.path,
  })
  assert.equal(await program.ended(), 1)
  assert.match(program.output(), /address already in use.*another port with --port/)
})

test('a master key that is not the one of the data is explained', async () => {
  await using place = await testDatabase()
  await using folder = await temporaryFolder()
  await openShop(place.database)
  await using program = runProgram(['start', '--port', '0'], {
    POSTHOUSE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    POSTHOUSE_DATABASE_URL: place.url,
    POSTHOUSE_DATA_DIR: folder.path,
  })
  assert.equal(await program.ended(), 1)
  assert.match(program.output(), /secrets of project demo-shop cannot be read/)
})

function callMany(baseUrl: string, shop: Shop): Promise<CallAnswer>[] {
  return Array.from({ length: CALLS }, (_, index) => {
    const customer = {
      ids: { webSiteUserId: String(index % 7) },
      email: `${index % 7}@example.com`,
    }
    const mode = index % 2 === 0 ? 'sync' : 'async'
    const transactionId = `under way ${index}`
    return index % 4 < 2
      ? call(baseUrl, shop, {
          mode,
          operation: 'OrderConfirmation',
          transactionId,
          body: triggerXml(customer, 'email', { orderNumber: String(index) }),
        })
      : call(baseUrl, shop, {
          mode,
          operation: 'EditCustomer',
          transactionId,
          body: editXml({ ...customer, firstName: `Anna ${index}` }),
        })
  })
}

async function areWaiting(baseUrl: string): Promise<boolean> {
  return (
    (await isWaiting(baseUrl, 'sync', CALLS / 2)) && (await isWaiting(baseUrl, 'accept', CALLS / 2))
  )
}

async function isWaiting(baseUrl: string, queue: 'sync' | 'accept', count: number) {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  return metrics.includes(`\nposthouse_${queue}_waiting ${count}\n`)
}

async function isClosed(baseUrl: string): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}
