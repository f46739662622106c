import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '@node-rs/argon2'
import { PasswordHasher } from './password.ts'

test('a password becomes an argon2id hash that only it fits', async () => {
  const hash = await new PasswordHasher().hash('s3cret ß😀')
  assert.match(hash ?? '', /^\$argon2id\$/)
  assert.equal(await verify(hash ?? '', 's3cret ß😀'), true)
  assert.equal(await verify(hash ?? '', 's3cret'), false)
})

test('one password twice gives two hashes', async () => {
  const hasher = new PasswordHasher()
  assert.notEqual(await hasher.hash('same'), await hasher.hash('same'))
})

test('past the bound a hash is refused, and those before it are made', async () => {
  const hasher = new PasswordHasher()
  const hashes = await Promise.all(Array.from({ length: 70 }, () => hasher.hash('x')))
  const made = hashes.filter((hash) => hash !== undefined)
  assert.equal(made.length, 66)
  assert.deepEqual(hashes.slice(66), [undefined, undefined, undefined, undefined])
  assert.notEqual(await hasher.hash('x'), undefined)
})
