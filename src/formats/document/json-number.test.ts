import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSafeNumber, skipNumber } from './json-number.ts'
import { JsonRefusal } from './json-string.ts'
import { seeded } from './random-trees.ts'

test('a number ends where its grammar does', () => {
  assert.equal(skipNumber('[-12.50e+3,', 1), 10)
  assert.equal(skipNumber('012', 0), 1)
  assert.equal(skipNumber('0', 0), 1)
  for (const wrong of ['', '-', '1.', '1.e2', '1e', '1e-', '.5', 'x']) {
    assert.throws(() => skipNumber(wrong, 0), JsonRefusal, wrong)
  }
})

test('whatever JavaScript prints within the safe range is safe', () => {
  const choose = seeded(5)
  for (let i = 0; i < 2_000; i++) {
    const value = (choose(2 ** 31) + choose(2 ** 31) / 2 ** 31) * 10 ** (choose(40) - 34)
    for (const spelling of [String(value), String(-value), value.toExponential()]) {
      assert.equal(isSafeNumber(spelling), true, spelling)
    }
  }
})

test('one more digit than a double can tell is not safe', () => {
  const choose = seeded(6)
  for (let i = 0; i < 2_000; i++) {
    const spelling = `0.${1 + choose(9)}${String(choose(2 ** 31)).padStart(18, '3')}7`
    assert.equal(isSafeNumber(spelling), false, spelling)
  }
})

test('a long run of zeros is quickly judged', () => {
  const zeros = '0'.repeat(500_000)
  assert.equal(isSafeNumber(`1.${zeros}`), true)
  assert.equal(isSafeNumber(`1.${zeros}1`), false)
  assert.equal(isSafeNumber(`1e-${zeros}1`), true)
})
