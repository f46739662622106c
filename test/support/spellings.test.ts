import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foundIn } from './spellings.ts'

const VALUE = 'Пароль "x" ?'

test('a value is found in every spelling', () => {
  const padded = (count: number) => Buffer.from(`${'-'.repeat(count)}${VALUE}---`)
  const texts = [
    `before ${VALUE} after`,
    VALUE.toUpperCase(),
    JSON.stringify({ VALUE }),
    JSON.stringify([JSON.stringify([JSON.stringify({ VALUE })])]),
    JSON.stringify({ VALUE }).replace(/[^ -~]/g, (c) => `\\u0${c.charCodeAt(0).toString(16)}`),
    `?q=${encodeURIComponent(VALUE)}`,
    ...[0, 1, 2, 3].flatMap((n) => [padded(n).toString('hex'), padded(n).toString('base64')]),
  ]
  for (const text of texts) assert.deepEqual(foundIn(text, [VALUE]), [VALUE], text)
})

test('what is not there is not found', () => {
  assert.deepEqual(foundIn('Пароль', [VALUE, 'ароля']), [])
})
