import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogFields } from '#platform/log'
import { RefusalLog } from './refusal-log.ts'

function aLog() {
  const lines: string[] = []
  const write = (fields: LogFields, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`)
  }
  return { lines, log: { debug: write, info: write, warn: write, error: write } }
}

test('a crowd of refused calls writes fifty lines a second and counts the rest', () => {
  const { lines, log } = aLog()
  const refusals = new RefusalLog(log)
  for (let call = 0; call < 1000; call++) refusals.note({ call }, 5_000)
  assert.equal(lines.length, 50)
  refusals.note({ call: 1000 }, 6_000)
  assert.deepEqual(lines.slice(50), [
    'more calls were refused in a second {"count":950}',
    'a call was refused {"call":1000}',
  ])
})
