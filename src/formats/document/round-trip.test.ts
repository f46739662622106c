import assert from 'node:assert/strict'
import { test } from 'node:test'
import { branch, leaf } from './build-node.ts'
import { randomTree, seeded } from './random-trees.ts'
import { readJson } from './read-json.ts'
import { readXml } from './read-xml.ts'
import { writeJson } from './write-json.ts'
import { writeXml } from './write-xml.ts'

test('any tree comes back from XML as it was', () => {
  const choose = seeded(20260301)
  for (let i = 0; i < 1_000; i++) {
    const root = randomTree(choose, 'operation', false)
    const xml = writeXml(root)
    assert.deepEqual(readXml(Buffer.from(xml)), { kind: 'read', root }, xml)
  }
})

test('any tree comes back from JSON as it was', () => {
  const choose = seeded(20260302)
  for (let i = 0; i < 1_000; i++) {
    const root = randomTree(choose, 'operation', true)
    const json = writeJson(root)
    assert.deepEqual(readJson(Buffer.from(json)), { kind: 'read', root }, json)
  }
})

test('both notations give the same tree', () => {
  const root = branch('operation', [
    branch('customer', [
      leaf('email', 'anna@example.com'),
      { ...leaf('mobilePhone', ''), isCleared: true },
      branch('customFields', [leaf('note', 'tea & cups\n<b>2</b>')]),
    ]),
  ])
  assert.deepEqual(readXml(Buffer.from(writeXml(root))), readJson(Buffer.from(writeJson(root))))
})
