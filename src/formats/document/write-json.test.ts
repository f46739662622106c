import assert from 'node:assert/strict'
import { test } from 'node:test'
import { branch, leaf, list } from './build-node.ts'
import { writeJson } from './write-json.ts'

test('a result is written as an object of strings', () => {
  const result = branch('result', [
    leaf('status', 'ProtocolError'),
    leaf('httpStatusCode', '404'),
    { ...leaf('nothing', ''), isCleared: true },
    branch('customer', [branch('ids', [leaf('customerId', '1042')])]),
  ])
  assert.equal(
    writeJson(result),
    '{"status":"ProtocolError","httpStatusCode":"404","nothing":null,' +
      '"customer":{"ids":{"customerId":"1042"}}}',
  )
})

test('a list is written as an array without the names of its children', () => {
  const result = branch('result', [
    list('validationMessages', [
      branch('validationMessage', [leaf('message', 'x')]),
      leaf('value', 'y'),
    ]),
    list('messages', []),
  ])
  assert.equal(writeJson(result), '{"validationMessages":[{"message":"x"},"y"],"messages":[]}')
})

test('an empty root is an object still', () => {
  assert.equal(writeJson(branch('result', [])), '{}')
})

test('line separators and lone surrogates do not go out raw', () => {
  const json = writeJson(branch('r', [leaf('a', '\u2028\u2029"\\\n\ud800\0')]))
  assert.equal(json, '{"a":"\\u2028\\u2029\\"\\\\\\n\ufffd\\u0000"}')
})
