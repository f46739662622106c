import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Database } from '#platform/database'
import { testDatabase } from '../../test/support/database.ts'
import { apply } from './apply.ts'
import { keys } from './keys.ts'

const DEMO_SHOP = join(import.meta.dirname, '../../examples/demo-shop')
const ENDPOINT = 'demo-shop.website'
const masterKey = randomBytes(32)

async function run(database: Database, ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const context = {
    database,
    masterKey,
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
  }
  const command = args[0] === 'apply' ? apply([DEMO_SHOP], context) : keys(args, context)
  return { code: await command, out, err }
}

test('a key is made, shown once, listed, rotated and revoked', async () => {
  await using place = await testDatabase()
  const { database } = place
  await run(database, 'apply')
  const none = await run(database, 'list', '--endpoint', ENDPOINT)
  assert.match(none.out.join('\n'), /has no keys/)
  const made = await run(database, 'make', '--endpoint', ENDPOINT)
  assert.equal(made.code, 0)
  const [, id = ''] = made.out[0]?.match(/^Key ([0-9a-f]{10}) of demo-shop\.website:$/) ?? []
  const value = made.out[1] ?? ''
  assert.match(value, /^ph_[\w-]{43}$/)
  assert.match(made.out[2] ?? '', /shown this once/)
  const listed = await run(database, 'list', '--endpoint', ENDPOINT)
  assert.equal(listed.out.length, 1)
  assert.match(
    listed.out[0] ?? '',
    new RegExp(`^${id}  ph_\\.\\.\\.${value.slice(-4)}  made .* UTC  live$`),
  )
  assert.ok(!listed.out.join('\n').includes(value))
  const rotated = await run(database, 'rotate', '--endpoint', ENDPOINT, '--key', id)
  assert.equal(rotated.code, 0)
  assert.match(rotated.out.join('\n'), new RegExp(`Still live.*\\n  ${id} `))
  const revoked = await run(database, 'revoke', '--endpoint', ENDPOINT, '--key', id)
  assert.deepEqual(revoked.out, [`Key ${id} of ${ENDPOINT} is revoked.`])
  const after = await run(database, 'list', '--endpoint', ENDPOINT)
  assert.match(after.out[0] ?? '', /revoked .* UTC$/)
  assert.match(after.out[1] ?? '', /live$/)
})

test('an unknown endpoint or key is refused with a suggestion', async () => {
  await using place = await testDatabase()
  const { database } = place
  assert.match(
    (await run(database, 'make', '--endpoint', ENDPOINT)).err.join('\n'),
    /no endpoint `demo-shop.website`.\n {4}Apply a project/,
  )
  await run(database, 'apply')
  for (const action of ['make', 'list', 'rotate']) {
    const { code, err } = await run(database, action, '--endpoint', 'demoshop.website')
    assert.equal(code, 1)
    assert.deepEqual(err, [
      'There is no endpoint `demoshop.website`.',
      '    Did you mean `demo-shop.website`?',
    ])
  }
  const revoke = await run(database, 'revoke', '--endpoint', ENDPOINT, '--key', 'nothing')
  assert.deepEqual(revoke.err, ['demo-shop.website has no live key `nothing`.'])
  assert.equal((await run(database, 'rotate', '--endpoint', ENDPOINT)).code, 1)
})

test('what is asked for wrongly is explained', async () => {
  await using place = await testDatabase()
  const { database } = place
  assert.match((await run(database, '--help')).out.join('\n'), /make\|list\|rotate\|revoke/)
  for (const args of [
    [],
    ['mak', '--endpoint', ENDPOINT],
    ['make'],
    ['make', 'more', '--endpoint', ENDPOINT],
    ['make', '--endpoint', ENDPOINT, '--key', 'x'],
    ['revoke', '--endpoint', ENDPOINT],
    ['make', '--endpont', ENDPOINT],
  ]) {
    const { code, err } = await run(database, ...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(err.join('\n'), /See posthouse keys --help/)
  }
  assert.match((await run(database, 'mak', '--endpoint', ENDPOINT)).err[0] ?? '', /`make`/)
})
