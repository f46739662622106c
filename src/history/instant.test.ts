import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, isoOf } from './instant.ts'

test('an instant is written in UTC to the microsecond', () => {
  assert.equal(isoOf(0), '1970-01-01T00:00:00.000000Z')
  assert.equal(isoOf(Date.UTC(2026, 10, 15, 9, 30) * 1000 + 1), '2026-11-15T09:30:00.000001Z')
  assert.equal(isoOf(-1), '1969-12-31T23:59:59.999999Z')
})

test('instants of one length sort as texts as they do as numbers', () => {
  const instants = [1, 999, 1000, 999_999, 1_000_000, 1_763_200_000_000_001]
  assert.deepEqual(instants.map(isoOf).sort(), instants.map(isoOf))
})

test('the next instant is now, or just after the last one when the clock stands or went back', () => {
  assert.equal(after(20, 10), 20)
  assert.equal(after(10, 10), 11)
  assert.equal(after(5, 10), 11)
})
