import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { loadMasterKey } from './master-key.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthouse-key-'))
})
after(() => rm(folder, { recursive: true }))

test('a given value is the key and no file is made', async () => {
  const key = randomBytes(32)
  const file = join(folder, 'unused')
  assert.deepEqual(await loadMasterKey({ value: key.toString('base64'), file }), key)
  await assert.rejects(stat(file))
})

test('a missing file is made, closed to others, and read the next time', async () => {
  const file = join(folder, 'deep', 'master.key')
  const first = await loadMasterKey({ file })
  assert.equal(first.length, 32)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await loadMasterKey({ file }), first)
})

test('processes that start at once agree on one key and leave nothing behind', async () => {
  const own = join(folder, 'race')
  const file = join(own, 'master.key')
  const keys = await Promise.all(Array.from({ length: 20 }, () => loadMasterKey({ file })))
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1)
  assert.deepEqual(await readdir(own), ['master.key'])
})

test('a file that others can read is refused', async () => {
  const file = join(folder, 'open.key')
  await loadMasterKey({ file })
  await chmod(file, 0o644)
  await assert.rejects(loadMasterKey({ file }), /chmod 600/)
})

test('anything but 32 bytes in base64 is refused, and not repeated in the message', async () => {
  const file = join(folder, 'bad.key')
  await writeFile(file, 'hunter2', { mode: 0o600 })
  await assert.rejects(loadMasterKey({ file }), /should be 32 bytes in base64$/)
  await assert.rejects(
    loadMasterKey({ value: 'hunter2', file }),
    (error: Error) => !error.message.includes('hunter2'),
  )
})
