import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readString } from './json-string.ts'
import { randomText, seeded } from './random-trees.ts'

test('any string comes back from its JSON', () => {
  const choose = seeded(3)
  for (let i = 0; i < 2_000; i++) {
    const value = randomText(choose)
    const json = JSON.stringify(value)
    const escapes = value.replace(/./gs, (unit) => `\\u${hex(unit)}`)
    assert.deepEqual(readString(json, 0), { value, end: json.length, isForbidden: false })
    assert.deepEqual(readString(`"${escapes}"`, 0).value, value)
  }
})

test('the end is after the closing quote', () => {
  assert.deepEqual(readString('{"a\\"b":1}', 1), { value: 'a"b', end: 7, isForbidden: false })
})

test('names of objects are no escapes', () => {
  for (const letter of ['c', '_', 'v', '0', 'U', 'x', '', '\n']) {
    assert.throws(() => readString(`"\\${letter}"`, 0), { name: 'Error' })
  }
})

function hex(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0')
}
