import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isTransactionId, readQuery } from './read-query.ts'

const DEVICE = '5ad03466-a2d3-4b3e-9ebc-0ef3a8cd2a4b'

test('a call need say neither device nor transaction', () => {
  assert.deepEqual(readQuery({ endpointId: 'x', operation: 'y' }, undefined), {
    kind: 'read',
    deviceUuid: null,
    transactionId: null,
  })
})

describe('a device', () => {
  test('is a UUID, and is kept in small letters', () => {
    const read = readQuery({ deviceUUID: DEVICE.toUpperCase() }, undefined)
    assert.partialDeepStrictEqual(read, { kind: 'read', deviceUuid: DEVICE })
  })

  for (const deviceUUID of [
    '',
    'x',
    `${DEVICE} `,
    DEVICE.slice(1),
    `{${DEVICE}}`,
    [DEVICE, DEVICE],
  ]) {
    test(`${JSON.stringify(deviceUUID)} is none`, () => {
      const read = readQuery({ deviceUUID }, undefined)
      assert.equal(read.kind, 'wrong')
      assert.match(read.message, /deviceUUID must be a UUID/)
    })
  }
})

describe('a transaction', () => {
  const spellings: [string, Record<string, unknown>, string | undefined][] = [
    ['transactionId', { transactionId: 'T1' }, undefined],
    ['transactiondId', { transactiondId: 'T1' }, undefined],
    ['Idempotency-Key', {}, 'T1'],
    ['all three of them', { transactionId: 'T1', transactiondId: 'T1' }, 'T1'],
  ]
  for (const [spelling, query, header] of spellings) {
    test(`is read from ${spelling}`, () => {
      assert.partialDeepStrictEqual(readQuery(query, header), { transactionId: 'T1' })
    })
  }

  const differing: [Record<string, unknown>, string | undefined][] = [
    [{ transactionId: 'T1', transactiondId: 'T2' }, undefined],
    [{ transactionId: 'T1' }, 'T2'],
    [{ transactiondId: 'T1' }, 't1'],
    [{ transactionId: 'T1', transactiondId: '' }, undefined],
  ]
  for (const [query, header] of differing) {
    test(`is refused when ${JSON.stringify(query)} and ${header} differ`, () => {
      const read = readQuery(query, header)
      assert.equal(read.kind, 'wrong')
      assert.match(read.message, /differ/)
    })
  }

  test('has 1 to 255 printable characters', () => {
    for (const id of ['1', 'x'.repeat(255), '😀'.repeat(255), 'заказ № 7', 'a b']) {
      assert.equal(isTransactionId(id), true, id)
    }
    for (const id of ['', ' ', 'x'.repeat(256), 'a\nb', 'a\0b', 'a\u200bb', 'a\ud800']) {
      assert.equal(isTransactionId(id), false, JSON.stringify(id))
      assert.equal(readQuery({ transactionId: id }, undefined).kind, 'wrong')
    }
  })

  test('sent twice is refused', () => {
    assert.equal(readQuery({ transactionId: ['T1', 'T1'] }, undefined).kind, 'wrong')
  })
})
