import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { branch, leaf, list } from './build-node.ts'
import type { ReadOutcome } from './node.ts'
import { randomTree, seeded } from './random-trees.ts'
import { readJson } from './read-json.ts'
import { writeJson } from './write-json.ts'

const read = (json: string) => readJson(Buffer.from(json))

function rootOf(outcome: ReadOutcome) {
  if (outcome.kind === 'unreadable') assert.fail(JSON.stringify(outcome.problem))
  return outcome.root
}

function problemOf(outcome: ReadOutcome) {
  if (outcome.kind !== 'unreadable') assert.fail(`expected a refusal, got ${outcome.kind}`)
  return outcome.problem
}

describe('an envelope', () => {
  test('becomes the tree that its XML would be', () => {
    const outcome = read(`{
      "customer": {
        "ids": { "webSiteUserId": 198412 },
        "email": "anna@example.com",
        "mobilePhone": null,
        "subscriptions": [
          { "pointOfContact": "Email", "isSubscribed": true },
          { "topic": "news", "isSubscribed": false }
        ],
        "customFields": { "sizes": ["S", 42, -0.50], "none": [], "nothing": {} }
      }
    }`)
    const customer = branch('customer', [
      branch('ids', [leaf('webSiteUserId', '198412')]),
      leaf('email', 'anna@example.com'),
      { ...leaf('mobilePhone', ''), isCleared: true },
      list('subscriptions', [
        branch('', [leaf('pointOfContact', 'Email'), leaf('isSubscribed', 'true')]),
        branch('', [leaf('topic', 'news'), leaf('isSubscribed', 'false')]),
      ]),
      branch('customFields', [
        list('sizes', [leaf('', 'S'), leaf('', '42'), leaf('', '-0.50')]),
        list('none', []),
        leaf('nothing', ''),
      ]),
    ])
    assert.deepEqual(outcome, { kind: 'read', root: branch('operation', [customer]) })
  })

  test('keeps repeated members', () => {
    const root = branch('operation', [leaf('a', '1'), leaf('b', '2'), leaf('a', '3')])
    assert.deepEqual(rootOf(read('{"a":1,"b":2,"\\u0061":3}')), root)
  })

  test('is harmless with names that mean something to JavaScript', () => {
    const root = branch('operation', [branch('__proto__', [leaf('constructor', 'x')])])
    assert.deepEqual(rootOf(read('{"__proto__":{"constructor":"x"}}')), root)
  })

  test('takes every escape', () => {
    const outcome = read('{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u041F\\ud83d\\uDE00é😀"}')
    assert.equal(rootOf(outcome).children[0]?.text, '"\\/\b\f\n\r\tП😀é😀')
  })

  test('may begin with a byte order mark and have space around it', () => {
    assert.equal(read('\ufeff \t\r\n{ }\n').kind, 'read')
  })
})

describe('a refusal', () => {
  test('says where, in lines and columns from 1', () => {
    assert.deepEqual(problemOf(read('{\r\n  "a": "😀",\n  "b": tru\n}')), {
      message: 'A value is expected.',
      line: 3,
      column: 8,
    })
    assert.deepEqual(problemOf(read('{"a":1')), {
      message: 'The document ends too early.',
      line: 1,
      column: 7,
    })
  })

  test('meets a root that is no object', () => {
    for (const json of ['[]', '"a"', '1', 'null', 'true', '<operation/>', 'x']) {
      assert.equal(problemOf(read(json)).message, 'The root is not an object.', json)
    }
    assert.equal(problemOf(read('')).message, 'The document ends too early.')
  })

  test('meets everything that RFC 8259 does not have', () => {
    const wrong = `{,} {"a"} {"a":} {"a":1,} {a:1} {'a':1} {"a":'b'} {"a" 1} {"a":1 "b":2} {}{} {}x
      {"a":[1,]} {"a":[,1]} {"a":[1 2]} {"a":[} {"a":]} {"a":01} {"a":+1} {"a":.5} {"a":1.} {"a":1e}
      {"a":1e+} {"a":-} {"a":--1} {"a":0x1} {"a":1_0} {"a":NaN} {"a":Infinity} {"a":undefined}
      {"a":True} {"a":nul} {"a":truex} {"a":"\\x"} {"a":"\\u12"} {"a":"\\u12G4"} {"a":"\\} {"a":"
      {"a":1/**/} {"a":"b"c} {"a":1}] {"a":\ufeff1} {"a":\u00a01} {`
    for (const json of wrong.split(/\s+(?=\{)/)) assert.equal(read(json).kind, 'unreadable', json)
    for (const control of ['\n', '\t', '\u001f']) {
      assert.match(problemOf(read(`{"a":"${control}"}`)).message, /not escaped/)
    }
  })

  test('meets broken UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xed, 0xa0, 0x80, 0x22, 0x7d]),
    ])
    assert.deepEqual(problemOf(readJson(bytes)), {
      message: 'The body is not valid UTF-8.',
      line: 1,
      column: 7,
    })
  })
})

test('32 levels and no more', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}`
  const lists = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  for (const shape of [nested, lists]) {
    assert.equal(read(shape(32)).kind, 'read')
    assert.match(problemOf(read(shape(33))).message, /deeper than 32/)
  }
  assert.equal(read(`{"a":${'['.repeat(500_000)}`).kind, 'unreadable')
})

test('10,000 values and no more', () => {
  const wide = (count: number) =>
    `{"a":[${Array(count - 2)
      .fill(0)
      .join()}]}`
  assert.equal(read(wide(10_000)).kind, 'read')
  assert.match(problemOf(read(wide(10_001))).message, /more than 10000/)
})

describe('a flaw', () => {
  test('is U+0000 or half of a surrogate pair', () => {
    for (const text of [
      '\\u0000',
      '\0',
      '\\ud83d',
      '\\ude00',
      '\\ude00\\ud83d',
      '\\ud83dx',
      '\\ud83d😀',
    ]) {
      const outcome = read(`{"customer":{"email":"a${text}"}}`)
      assert.equal(outcome.kind, 'forbiddenCharacter', text)
      assert.ok(outcome.kind === 'forbiddenCharacter')
      assert.equal(outcome.path, '/customer/email')
      assert.match(rootOf(outcome).children[0]?.children[0]?.text ?? '', /^a\ufffd/)
    }
  })

  test('in a name is shown without the character', () => {
    const outcome = read('{"customer":{"e\\u0000\\ud83d":1}}')
    assert.ok(outcome.kind === 'forbiddenCharacter')
    assert.equal(outcome.path, '/customer/e\ufffd\ufffd')
  })

  test('is a number that a double does not hold', () => {
    const unsafe = `9007199254740992 -9007199254740992 9007199254740993 123456789012345678901234567890
      9007199254740992.0 1e16 1e400 -1e400 1e-400 0.12345678901234567890 0.1000000000000000055
      3.14159265358979323846 4503599627370497.1`
    for (const number of unsafe.split(/\s+/)) {
      const outcome = read(`{"customFields":{"list":[1,${number}]}}`)
      assert.equal(outcome.kind, 'unsafeNumber', number)
      assert.ok(outcome.kind === 'unsafeNumber')
      assert.equal(outcome.path, '/customFields/list/2')
    }
  })

  test('is no number that a double holds', () => {
    const safe = `0 -0 -0.0 0e999 9007199254740991 -9007199254740991 4590.00 1e3 1E-7 0.1 0.30000000000000004
      2.2250738585072014e-308 5e-324 100000000000000.00000000000 0.000000000000000000001 1.50E+2`
    for (const number of safe.split(/\s+/)) {
      assert.deepEqual(
        read(`{"a":${number}}`),
        { kind: 'read', root: branch('operation', [leaf('a', number)]) },
        number,
      )
    }
  })

  test('of each kind is reported', () => {
    const outcome = read('{"a":"\\u0000","b":1e99,"c":[{"d":"\\udfff"}]}')
    assert.ok(outcome.kind === 'forbiddenCharacter')
    assert.deepEqual(outcome.flaws, [
      { kind: 'forbiddenCharacter', path: '/a' },
      { kind: 'unsafeNumber', path: '/b' },
      { kind: 'forbiddenCharacter', path: '/c/1/d' },
    ])
  })

  test('does not hide that the rest is unreadable', () => {
    assert.equal(read('{"a":"\\u0000"').kind, 'unreadable')
  })
})

test('what is read is what JSON.parse would read, under any mutation', () => {
  const choose = seeded(11)
  const pieces = ['{', '}', '[', ']', '"', ',', ':', '\\', '\\u', 'null', '1', '-', '.', 'e', ' ']
  for (let i = 0; i < 3_000; i++) {
    const json = writeJson(randomTree(choose, 'operation', true))
    const at = choose(json.length)
    const piece = pieces[choose(pieces.length)] ?? ''
    const mutated = json.slice(0, at) + piece + json.slice(at + choose(3))
    const outcome = read(mutated)
    assert.equal(outcome.kind === 'unreadable', !isJsonObject(mutated.toWellFormed()), mutated)
  }
})

test('no mutation of the bytes makes the reader throw', () => {
  const choose = seeded(12)
  for (let i = 0; i < 2_000; i++) {
    const bytes = Buffer.from(writeJson(randomTree(choose, 'operation', true)))
    bytes[choose(bytes.length)] = choose(256)
    const outcome = readJson(bytes)
    if (outcome.kind === 'unreadable') {
      assert.ok(outcome.problem.line >= 1 && outcome.problem.column >= 1)
    }
  }
})

function isJsonObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
