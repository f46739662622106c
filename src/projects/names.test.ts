import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfName } from './names.ts'

test('good names have no fault', () => {
  for (const name of ['a', 'demo-shop', `a${'9'.repeat(62)}`]) {
    assert.equal(faultOfName('system', name), undefined, name)
  }
  for (const name of ['webSiteUserId', '_x', 'a.b-c_d', `A${'b'.repeat(62)}`]) {
    assert.equal(faultOfName('element', name), undefined, name)
  }
})

test('bad names are refused', () => {
  for (const name of ['', 'Shop', '1shop', '-shop', 'a.b', 'a_b', `a${'9'.repeat(63)}`, 'a\n']) {
    assert.notEqual(faultOfName('system', name), undefined, name)
  }
  for (const name of ['', '1a', '-a', 'a b', 'a:b', 'ä', `A${'b'.repeat(63)}`, 'a\n']) {
    assert.notEqual(faultOfName('element', name), undefined, name)
  }
})

test('names that mean something else on the wire are reserved', () => {
  assert.match(faultOfName('element', 'customerId')?.message ?? '', /reserved/)
  assert.match(faultOfName('element', '__proto__')?.message ?? '', /reserved/)
})

test('a repaired name is suggested when there is one', () => {
  assert.equal(
    faultOfName('system', 'Order Confirmation')?.suggestion,
    'Perhaps `order-confirmation`?',
  )
  assert.equal(faultOfName('system', 'demoShop')?.suggestion, 'Perhaps `demo-shop`?')
  assert.equal(faultOfName('element', 'shoe size')?.suggestion, 'Perhaps `shoe_size`?')
  assert.equal(faultOfName('system', '???')?.suggestion, undefined)
})
