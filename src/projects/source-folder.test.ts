import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aProjectFolder } from './project-folder-fixture.ts'
import { listSources, openSourceFolder, readSource } from './source-folder.ts'

async function opened(dir: string) {
  const folder = await openSourceFolder(dir)
  assert.ok(folder)
  return folder
}

test('a file inside is read, without its byte order mark', async () => {
  await using place = await aProjectFolder({ 'sub/a.txt': '\uFEFFHello' })
  const folder = await opened(place.dir)
  assert.deepEqual(await readSource(folder, 'sub/../sub/a.txt'), { kind: 'text', text: 'Hello' })
})

test('no path leads out of the folder', async () => {
  await using outside = await aProjectFolder({ 'secret.txt': 'secret' })
  await using place = await aProjectFolder({ 'a.txt': 'a' })
  await symlink(join(outside.dir, 'secret.txt'), join(place.dir, 'link.txt'))
  await symlink(outside.dir, join(place.dir, 'linked'))
  const folder = await opened(place.dir)
  for (const path of [
    'link.txt',
    'linked/secret.txt',
    '../secret.txt',
    'a/../../secret.txt',
    join(outside.dir, 'secret.txt'),
    join(place.dir, 'a.txt'),
  ]) {
    const source = await readSource(folder, path)
    assert.equal(source.kind, 'refused', path)
    assert.match(source.kind === 'refused' ? source.message : '', /leads out/, path)
  }
  assert.equal(await listSources(folder, 'linked'), undefined)
})

test('a link that stays inside is followed', async () => {
  await using place = await aProjectFolder({ 'a.txt': 'a' })
  await symlink('a.txt', join(place.dir, 'b.txt'))
  assert.deepEqual(await readSource(await opened(place.dir), 'b.txt'), { kind: 'text', text: 'a' })
})

test('folders, large files and files that are no text are refused', async () => {
  await using place = await aProjectFolder({
    'sub/a.txt': 'a',
    'full.txt': 'x'.repeat(1024 * 1024),
    'large.txt': 'x'.repeat(1024 * 1024 + 1),
    'latin.txt': Buffer.from([0x66, 0xfc, 0x72]),
    'nul.txt': 'a\0b',
  })
  const folder = await opened(place.dir)
  const kindOf = async (path: string) => (await readSource(folder, path)).kind
  assert.equal(await kindOf('full.txt'), 'text')
  for (const path of ['sub', 'large.txt', 'latin.txt', 'nul.txt']) {
    assert.equal(await kindOf(path), 'refused', path)
  }
})

test('a missing file suggests its neighbour', async () => {
  await using place = await aProjectFolder({ 'mailings/welcome.html': 'x' })
  const source = await readSource(await opened(place.dir), 'mailings/welcom.html')
  assert.equal(source.kind, 'missing')
  assert.equal(
    source.kind === 'missing' && source.suggestion,
    'Did you mean `mailings/welcome.html`?',
  )
})

test('files are listed with those below and without hidden ones', async () => {
  await using place = await aProjectFolder({
    'mailings/b.yaml': '',
    'mailings/a/c.html': '',
    'mailings/.hidden': '',
    'mailings/.git/x': '',
    'other.txt': '',
  })
  const folder = await opened(place.dir)
  assert.deepEqual(await listSources(folder, 'mailings'), ['mailings/a/c.html', 'mailings/b.yaml'])
  assert.deepEqual(await listSources(folder, 'nothing'), [])
})
