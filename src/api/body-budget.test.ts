import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBudget } from './body-budget.ts'

const MIB = 1024 * 1024

test('bodies are held up to a limit, and what is given back can be taken again', () => {
  const budget = new BodyBudget()
  for (let body = 0; body < 64; body++) assert.equal(budget.take(MIB), true)
  assert.equal(budget.take(1), false)
  budget.giveBack(MIB)
  assert.equal(budget.take(MIB), true)
  assert.equal(budget.take(1), false)
})
