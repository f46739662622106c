import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type Program, processesIn, runProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { lint, needsXmllint } from '../support/xmllint.ts'

const READY = /^Posthouse is ready on (http:\/\/127\.0\.0\.1:\d+)$/m
const needsCurl =
  spawnSync('curl', ['--version']).status === 0 ? {} : { skip: 'curl is not installed' }

interface Description {
  baseUrl: string
  endpointId: string
  secretKey: string
}

function startDemo(data: string): Program {
  return runProgram(['demo', '--port', '0', '--data', data])
}

async function describedIn(data: string): Promise<Description> {
  return JSON.parse(await readFile(join(data, 'demo.json'), 'utf8')) as Description
}

async function assertNobodyLeft(data: string): Promise<void> {
  await eventually('every process of the demo has ended', async () => {
    const left = await processesIn(data)
    return left.length === 0
  })
}

async function readOrder({ baseUrl, endpointId, secretKey }: Description): Promise<Response> {
  return await fetch(`${baseUrl}/v3/transactions/order-1001?endpointId=${endpointId}`, {
    headers: { authorization: `SecretKey ${secretKey}` },
  })
}

test(
  'the demo starts, its commands work as printed, and it goes on where it was killed',
  needsCurl,
  async () => {
    await using folder = await temporaryFolder()
    const data = join(folder.path, 'demo')
    await using demo = startDemo(data)
    const [, baseUrl] = await demo.says(READY)
    const described = await describedIn(data)
    assert.equal(described.baseUrl, baseUrl)
    assert.equal(described.endpointId, 'demo-shop.website')
    assert.equal((await stat(join(data, 'demo.json'))).mode & 0o777, 0o600)

    const commands = demo.output().match(/^curl .*$/gm) ?? []
    const answers = commands.map((command) =>
      spawnSync('sh', ['-c', command], { encoding: 'utf8' }),
    )
    const [message, transaction, edit] = answers.map(({ stdout }) => stdout)
    assert.match(message ?? '', /<status>Success<.*<channel>Email<.*<status>Queued</)
    assert.match(transaction ?? '', /<id>order-1001<.*<state>Done<.*<entry><status>Queued</)
    assert.match(edit ?? '', /<result><status>Success<\/status><\/result>/)
    assert.equal(answers.length, 3)

    demo.signal('SIGKILL')
    assert.equal(await demo.ended(), 'SIGKILL')
    await using again = startDemo(data)
    await again.says(READY)
    const describedAgain = await describedIn(data)
    assert.equal(describedAgain.secretKey, described.secretKey)
    const order = await readOrder(describedAgain)
    assert.equal(order.status, 200)
    assert.match(await order.text(), /<id>order-1001</)
    again.signal('SIGINT')
    assert.equal(await again.ended(), 0)
    await assertNobodyLeft(data)
  },
)

test(
  'the bodies of the printed commands are valid by the served schema',
  needsXmllint,
  async () => {
    await using folder = await temporaryFolder()
    await using demo = startDemo(folder.path)
    const [, baseUrl] = await demo.says(READY)
    const schema = await (await fetch(`${baseUrl}/v3/operations.xsd`)).text()
    const bodies = [...demo.output().matchAll(/ -d '(.*)'$/gm)].map(([, body = '']) => body)
    assert.equal(bodies.length, 2)
    assert.deepEqual((await lint(schema, bodies)).filter(Boolean), [])
    demo.signal('SIGTERM')
    assert.equal(await demo.ended(), 0)
    await assertNobodyLeft(folder.path)
  },
)

test('a demo stopped while it starts leaves nothing behind', async () => {
  await using folder = await temporaryFolder()
  await using demo = startDemo(folder.path)
  await demo.says(/Starting PostgreSQL/)
  demo.signal('SIGTERM')
  assert.equal(await demo.ended(), 0)
  await assertNobodyLeft(folder.path)
})

test('a second demo on the same data is told so, and the first goes on', async () => {
  await using folder = await temporaryFolder()
  await using first = startDemo(folder.path)
  await first.says(READY)
  await using second = startDemo(folder.path)
  assert.equal(await second.ended(), 1)
  assert.match(second.output(), /another process is using the database in .*stop the other/)
  assert.doesNotMatch(second.output(), /\n\s+at /)
  const { baseUrl } = await describedIn(folder.path)
  assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200)
  first.signal('SIGTERM')
  assert.equal(await first.ended(), 0)
  await assertNobodyLeft(folder.path)
})
