import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { UnknownCommit } from '#platform/database'
import { isFaultOfData } from './faults.ts'

function refusal(code: string): Error {
  const error = new pg.DatabaseError('refused', 0, 'error')
  error.code = code
  return error
}

test('a bug of ours and a refusal of the data are the fault of an operation', () => {
  assert.equal(isFaultOfData(new TypeError('x is not a function')), true)
  assert.equal(isFaultOfData(new RangeError('Invalid string length')), true)
  // A value out of range, a constraint, a limit of the program.
  for (const code of ['22003', '23505', '54000']) {
    assert.equal(isFaultOfData(refusal(code)), true, code)
  }
})

test('a schema of another version is waited for, and fails nobody’s operation', () => {
  for (const code of ['42703', '42501', '42P01', '23502']) {
    assert.equal(isFaultOfData(refusal(code)), false, code)
  }
})

test('a server that is away, full or in trouble is nobody’s fault', () => {
  for (const code of ['08006', '53100', '57P01', '40001', '25P04', '58030']) {
    assert.equal(isFaultOfData(refusal(code)), false, code)
  }
  assert.equal(isFaultOfData(new Error('connection terminated')), false)
  assert.equal(isFaultOfData(new UnknownCommit('lost')), false)
})
