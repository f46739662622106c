import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageOfFault } from './xml-faults.ts'

test('the more special of two beginnings wins', () => {
  assert.match(messageOfFault('disallowed character in tag name'), /tag has a malformed name/)
  assert.match(messageOfFault('disallowed character.'), /not allowed at this place/)
})

test('a fault without words of ours is still told', () => {
  assert.equal(messageOfFault('a message of a later version'), 'The XML is not well-formed.')
})
