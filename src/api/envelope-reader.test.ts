import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DocumentNode, readJson, readXml } from '#formats/document'
import { EnvelopeReader } from './envelope-reader.ts'

function xml(text: string): DocumentNode {
  const read = readXml(Buffer.from(text))
  assert.equal(read.kind, 'read')
  return read.root
}

/** The value of the member `a` of a JSON object. */
function json(text: string): DocumentNode {
  const read = readJson(Buffer.from(text))
  assert.equal(read.kind, 'read')
  const [member] = read.root.children
  assert(member !== undefined)
  return member
}

const NAMES = new Set(['email', 'phone'])

describe('members', () => {
  test('are found by name', () => {
    const reader = new EnvelopeReader()
    const members = reader.members(xml('<a><phone>1</phone><email>2</email></a>'), '/a', NAMES)
    assert.deepEqual([...members.keys()].sort(), ['email', 'phone'])
    assert.deepEqual(reader.problems, [])
  })

  test('that are unknown or repeated are each refused, with what was probably meant', () => {
    const reader = new EnvelopeReader()
    const node = xml('<a><emial/><email>1</email><email>2</email><zzz/></a>')
    assert.equal(reader.members(node, '/a', NAMES).get('email')?.text, '1')
    assert.deepEqual(reader.problems, [
      { location: '/a/emial', message: 'unknown element; did you mean email?' },
      { location: '/a/email', message: 'appears more than once' },
      { location: '/a/zzz', message: 'unknown element' },
    ])
  })

  test('of the root have no double slash, and long names are cut', () => {
    const reader = new EnvelopeReader()
    reader.members(xml(`<a><${'b'.repeat(200)}/></a>`), '/', NAMES)
    assert.equal(reader.problems[0]?.location, `/${'b'.repeat(100)}...`)
  })

  for (const [what, node] of [
    ['a value', xml('<a>text</a>')],
    ['an array', json('{"a": []}')],
    ['null', json('{"a": null}')],
  ] as const) {
    test(`cannot come from ${what}`, () => {
      const reader = new EnvelopeReader()
      assert.equal(reader.members(node, '/a', NAMES).size, 0)
      assert.equal(reader.problems.length, 1)
      assert.equal(reader.problems[0]?.location, '/a')
    })
  }
})

describe('a value', () => {
  test('is its text, undefined when empty, null when cleared', () => {
    const reader = new EnvelopeReader()
    assert.equal(reader.value(xml('<a> x </a>'), '/a'), ' x ')
    assert.equal(reader.value(json('{"a": 12.50}'), '/a'), '12.50')
    for (const empty of [xml('<a/>'), xml('<a>  </a>'), json('{"a": ""}')]) {
      assert.equal(reader.value(empty, '/a'), undefined)
    }
    for (const cleared of [xml('<a clear="true"/>'), json('{"a": null}')]) {
      assert.equal(reader.value(cleared, '/a'), null)
    }
    assert.deepEqual(reader.problems, [])
  })

  for (const [what, node] of [
    ['elements', xml('<a><b/></a>')],
    ['an object', json('{"a": {"b": 1}}')],
    ['an array', json('{"a": [1]}')],
    ['a text that is to be cleared too', xml('<a clear="true">x</a>')],
  ] as const) {
    test(`is refused when it is ${what}`, () => {
      const reader = new EnvelopeReader()
      assert.equal(reader.value(node, '/a'), undefined)
      assert.equal(reader.problems.length, 1)
    })
  }

  test('that has nothing to clear refuses to be cleared', () => {
    const reader = new EnvelopeReader()
    assert.equal(reader.plainValue(xml('<a clear="true"/>'), '/a'), undefined)
    assert.deepEqual(reader.problems, [{ location: '/a', message: 'cannot be cleared' }])
  })
})

describe('items', () => {
  test('are named children in XML and an array in JSON', () => {
    const reader = new EnvelopeReader()
    const texts = (node: DocumentNode) => reader.items(node, '/a', 'value').map(({ text }) => text)
    assert.deepEqual(texts(xml('<a><value>1</value><value>2</value></a>')), ['1', '2'])
    assert.deepEqual(texts(json('{"a": [1, "2"]}')), ['1', '2'])
    assert.deepEqual(texts(xml('<a/>')), [])
    assert.deepEqual(reader.problems, [])
  })

  test('of another name are refused, as is a text', () => {
    const reader = new EnvelopeReader()
    assert.equal(reader.items(xml('<a><value/><other/></a>'), '/a', 'value').length, 1)
    assert.equal(reader.items(xml('<a>text</a>'), '/a', 'value').length, 0)
    assert.deepEqual(
      reader.problems.map(({ location }) => location),
      ['/a/other', '/a'],
    )
  })
})

test('a hundred problems are told of, not more', () => {
  const reader = new EnvelopeReader()
  for (let count = 0; count < 150; count++) reader.refuse(`/${count}`, 'wrong')
  assert.equal(reader.problems.length, 100)
})
