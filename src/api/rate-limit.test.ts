import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf, RateLimiter } from './rate-limit.ts'

const NOON = Date.UTC(2026, 10, 15, 12)

test('as many calls as the limit are allowed in a minute, and told what is left', () => {
  const limiter = new RateLimiter()
  const remaining = [1, 2, 3].map(() => limiter.take('a', 3, NOON).remaining)
  assert.deepEqual(remaining, [2, 1, 0])
  assert.deepEqual(limiter.take('a', 3, NOON + 15_500), {
    isAllowed: false,
    limit: 3,
    remaining: 0,
    resetS: 45,
  })
})

test('callers are counted apart', () => {
  const limiter = new RateLimiter()
  assert.equal(limiter.take('a', 1, NOON).isAllowed, true)
  assert.equal(limiter.take('a', 1, NOON).isAllowed, false)
  assert.equal(limiter.take('b', 1, NOON).isAllowed, true)
})

test('after a minute everybody may call again', () => {
  const limiter = new RateLimiter()
  limiter.take('a', 1, NOON)
  assert.equal(limiter.take('a', 1, NOON + 59_999).isAllowed, false)
  assert.equal(limiter.take('a', 1, NOON + 60_000).isAllowed, true)
})

test('refused calls do not prolong the wait', () => {
  const limiter = new RateLimiter()
  limiter.take('a', 1, NOON)
  for (let second = 1; second < 60; second++) limiter.take('a', 1, NOON + second * 1000)
  assert.equal(limiter.take('a', 1, NOON + 60_000).isAllowed, true)
})

test('a clock that is set back far starts a new minute', () => {
  const limiter = new RateLimiter()
  limiter.take('a', 1, NOON)
  assert.equal(limiter.take('a', 1, NOON - 3_600_000).isAllowed, true)
  assert.equal(limiter.take('a', 1, NOON - 3_600_000).resetS, 60)
})

test('callers beyond the number that is counted share one count', () => {
  const limiter = new RateLimiter()
  for (let caller = 0; caller < 50_000; caller++) limiter.take(`caller ${caller}`, 1, 0)
  assert.equal(limiter.take('caller 7', 1, 0).isAllowed, false)
  assert.equal(limiter.take('one more', 2, 0).isAllowed, true)
  assert.equal(limiter.take('and another', 2, 0).isAllowed, true)
  assert.equal(limiter.take('and a third', 2, 0).isAllowed, false)
})

test('the addresses of one IPv6 network are one caller', () => {
  assert.equal(callerOf('2001:db8:1:2:3:4:5:6'), callerOf('2001:db8:1:2::9'))
  assert.notEqual(callerOf('2001:db8:1:2::1'), callerOf('2001:db8:1:3::1'))
  assert.equal(callerOf('::1'), '0:0:0:0::/64')
  assert.equal(callerOf('192.0.2.7'), '192.0.2.7')
  assert.equal(callerOf('::ffff:192.0.2.7'), '::ffff:192.0.2.7')
})
