import assert from 'node:assert/strict'
import { test } from 'node:test'
import { branch, leaf, list } from './build-node.ts'
import { writeXml } from './write-xml.ts'

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'

test('a result is written as elements', () => {
  const result = branch('result', [
    leaf('status', 'ValidationError'),
    leaf('empty', ''),
    list('validationMessages', [
      branch('validationMessage', [leaf('message', 'a < b & c'), leaf('location', '/customer')]),
    ]),
  ])
  assert.equal(
    writeXml(result),
    `${DECLARATION}<result><status>ValidationError</status><empty/><validationMessages>` +
      '<validationMessage><message>a &lt; b &amp; c</message><location>/customer</location>' +
      '</validationMessage></validationMessages></result>',
  )
})

test('what XML cannot hold becomes U+FFFD', () => {
  const text = '\0\u0001\u000b\u001f\ufffe\uffff\ud800\udc00x\ud800'
  const replaced = `${'\ufffd'.repeat(6)}\u{10000}x\ufffd`
  assert.equal(writeXml(leaf('a', text)), `${DECLARATION}<a>${replaced}</a>`)
})

test('a carriage return survives, and no text ends a CDATA section', () => {
  assert.equal(writeXml(leaf('a', '\r\n\t]]>')), `${DECLARATION}<a>&#13;\n\t]]&gt;</a>`)
})

test('a cleared node has the attribute, and an item without a name is a value', () => {
  const tree = list('sizes', [leaf('', 'S'), { ...leaf('note', ''), isCleared: true }])
  assert.equal(writeXml(tree), `${DECLARATION}<sizes><value>S</value><note clear="true"/></sizes>`)
})
