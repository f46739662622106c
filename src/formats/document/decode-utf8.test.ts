import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeUtf8, positionAt } from './decode-utf8.ts'

test('one byte order mark is not part of the text', () => {
  const bytes = Buffer.from('\ufeff\ufeffé')
  assert.deepEqual(decodeUtf8(bytes), { kind: 'decoded', text: '\ufeffé' })
})

test('a real replacement character is text', () => {
  assert.deepEqual(decodeUtf8(Buffer.from('\ufffd')), { kind: 'decoded', text: '\ufffd' })
})

test('the place of a broken byte is counted in characters', () => {
  const bytes = Buffer.concat([Buffer.from('\ufffd\r\nй😀'), Buffer.from([0xe2, 0x28])])
  const outcome = decodeUtf8(bytes)
  assert.ok(outcome.kind === 'unreadable')
  assert.equal(outcome.problem.line, 2)
  assert.equal(outcome.problem.column, 3)
})

test('a line ends with LF, CR LF or CR', () => {
  const text = 'a\nb\r\nc\rd😀e'
  assert.deepEqual(positionAt(text, 0), { line: 1, column: 1 })
  assert.deepEqual(positionAt(text, text.indexOf('c')), { line: 3, column: 1 })
  assert.deepEqual(positionAt(text, text.indexOf('e')), { line: 4, column: 3 })
  assert.deepEqual(positionAt(text, 1_000), { line: 4, column: 4 })
})
