import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Database } from '#platform/database'
import { testDatabase } from '../../test/support/database.ts'
import { apply } from './apply.ts'

const DEMO_SHOP = join(import.meta.dirname, '../../examples/demo-shop')
const masterKey = randomBytes(32)

async function run(database: Database, ...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await apply(args, {
    database,
    masterKey,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  })
  return { code, out, err }
}

async function aCopy(): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'posthouse-apply-'))
  await cp(DEMO_SHOP, dir, { recursive: true })
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')))
}

async function countHistory(database: Database): Promise<number> {
  const rows = await database.query<{ count: string }>({ text: 'select count(*) from history' })
  return Number(rows[0]?.count)
}

test('a project is applied, unchanged, then changed', async () => {
  await using place = await testDatabase()
  await using copy = await aCopy()
  const { database } = place
  assert.deepEqual(await run(database, copy.dir), {
    code: 0,
    out: ['demo-shop: revision 1 applied (1 endpoint, 4 operations, 5 mailings)'],
    err: [],
  })
  const recorded = await countHistory(database)
  assert.ok(recorded > 0)
  const again = await run(database, copy.dir)
  assert.deepEqual(again.out, ['demo-shop: revision 1 unchanged'])
  assert.equal(await countHistory(database), recorded)
  await rewrite(join(copy.dir, 'project.yaml'), (text) => text.replace('Demo shop', 'Our shop'))
  const changed = await run(database, copy.dir)
  assert.deepEqual(changed.out, [
    'demo-shop: revision 2 applied (1 endpoint, 4 operations, 5 mailings)',
  ])
})

test('problems are shown with place and suggestion, and nothing is applied', async () => {
  await using place = await testDatabase()
  await using copy = await aCopy()
  const { database } = place
  const file = join(copy.dir, 'project.yaml')
  await rewrite(file, (text) => text.replace('[welcome]', '[wellcome]').replace('news:', 'nwes:'))
  const { code, out, err } = await run(database, copy.dir)
  assert.equal(code, 1)
  assert.deepEqual(out, [])
  assert.deepEqual(
    err.map((line) => line.replace(/:\d+:\d+ /, ':L:C ')),
    [
      `${file}:L:C there is no mailing \`wellcome\``,
      '    Did you mean `welcome`?',
      `${join(copy.dir, 'mailings/news.yaml')}:L:C there is no topic \`news\``,
      '    Did you mean `nwes`?',
      '2 problems found, nothing applied.',
    ],
  )
  assert.deepEqual(await database.query({ text: 'select name from project' }), [])
})

test('a check changes nothing', async () => {
  await using place = await testDatabase()
  const checked = await run(place.database, DEMO_SHOP, '--check')
  assert.equal(checked.code, 0)
  assert.deepEqual(checked.out, ['demo-shop: no problems (1 endpoint, 4 operations, 5 mailings)'])
  assert.deepEqual(await place.database.query({ text: 'select name from project' }), [])
})

test('what is asked for wrongly is explained', async () => {
  await using place = await testDatabase()
  const { database } = place
  assert.match((await run(database, '--help')).out.join('\n'), /posthouse apply DIR/)
  for (const args of [[], ['a', 'b'], ['a', '--fast']]) {
    const { code, err } = await run(database, ...args)
    assert.equal(code, 2)
    assert.match(err.join('\n'), /posthouse apply --help/)
  }
  assert.equal((await run(database, join(DEMO_SHOP, 'nowhere'))).code, 1)
})
