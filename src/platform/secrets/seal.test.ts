import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { open, seal } from './seal.ts'

const masterKey = randomBytes(32)

test('a sealed secret opens under the same key and context', () => {
  const sealed = seal(masterKey, 'naïve ✓ secret', 'project/1')
  assert.equal(open(masterKey, sealed, 'project/1'), 'naïve ✓ secret')
})

test('the empty secret is a secret', () => {
  assert.equal(open(masterKey, seal(masterKey, '', 'x'), 'x'), '')
})

test('the same secret is never sealed into the same bytes', () => {
  assert.notDeepEqual(seal(masterKey, 'a', 'x'), seal(masterKey, 'a', 'x'))
})

test('another master key opens nothing and says so', () => {
  const sealed = seal(masterKey, 'a', 'x')
  assert.throws(() => open(randomBytes(32), sealed, 'x'), /another master key/)
})

test('another context opens nothing', () => {
  const sealed = seal(masterKey, 'a', 'project/1')
  assert.throws(() => open(masterKey, sealed, 'project/2'), /another master key or for another use/)
})

test('any changed byte is noticed', () => {
  const sealed = seal(masterKey, 'secret', 'x')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.throws(() => open(masterKey, changed, 'x'))
  }
})

test('bytes of an unknown version or too few of them are refused', () => {
  assert.throws(() => open(masterKey, Buffer.alloc(0), 'x'), /version/)
  assert.throws(() => open(masterKey, Buffer.alloc(40, 9), 'x'), /version/)
})
