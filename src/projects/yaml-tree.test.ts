import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from './problems.ts'
import { parseYaml } from './yaml-tree.ts'

function parse(text: string) {
  const problems: Problem[] = []
  const value = parseYaml('x.yaml', text, problems)
  return {
    value,
    problems: problems.map((p) => `${p.line}:${p.column} ${p.message}`),
    raw: problems,
  }
}

test('values know their places', () => {
  const { value, problems } = parse('a: 1\nb:\n  - two\n')
  assert.deepEqual(problems, [])
  assert.deepEqual(value, {
    kind: 'map',
    at: { file: 'x.yaml', line: 1, column: 1 },
    entries: [
      {
        name: 'a',
        at: { file: 'x.yaml', line: 1, column: 1 },
        value: {
          kind: 'scalar',
          at: { file: 'x.yaml', line: 1, column: 4 },
          value: 1,
          source: '1',
        },
      },
      {
        name: 'b',
        at: { file: 'x.yaml', line: 2, column: 1 },
        value: {
          kind: 'list',
          at: { file: 'x.yaml', line: 3, column: 3 },
          items: [
            {
              kind: 'scalar',
              at: { file: 'x.yaml', line: 3, column: 5 },
              value: 'two',
              source: 'two',
            },
          ],
        },
      },
    ],
  })
})

test('a syntax error is a problem and there is no value', () => {
  const { value, problems } = parse('a: [1\nb: 2\n')
  assert.equal(value, undefined)
  assert.ok(problems.length > 0)
})

test('a key that comes twice is named with its first place', () => {
  const { problems } = parse('a: 1\nb: 2\na: 3\n')
  assert.deepEqual(problems, ['3:1 `a` is here twice, first in line 1'])
})

test('a template that begins with a brace gets the advice to quote it', () => {
  const { value, raw } = parse('channel: Email\nsubject: {{ name }}\n')
  assert.equal(value, undefined)
  assert.equal(raw[0]?.line, 2)
  assert.match(raw[0]?.suggestion ?? '', /quotes/)
})

test('keys are texts even when they look like numbers', () => {
  const { value } = parse('404: x\n')
  assert.equal(value?.kind === 'map' && value.entries[0]?.name, '404')
})

test('aliases, unknown tags and several documents are refused', () => {
  assert.deepEqual(parse('a: &x 1\nb: *x\n').problems, ['2:4 aliases are not read here'])
  assert.equal(parse('a: !secret x\n').problems.length, 1)
  assert.equal(parse('a: 1\n---\nb: 2\n').problems.length, 1)
})

test('characters that cannot be stored are refused', () => {
  for (const text of ['a: "x\\0y"', 'a: "\\uD800"']) {
    assert.deepEqual(parse(text).problems, ['1:4 this text holds a character that is not allowed'])
  }
})

test('an empty file and one of nothing but brackets are problems, not faults', () => {
  assert.deepEqual(parse('# nothing\n').problems, ['1:1 the file is empty'])
  assert.deepEqual(parse('['.repeat(200_000)).value, undefined)
  const deep = parse(`${'['.repeat(40)}${']'.repeat(40)}`)
  assert.match(deep.problems[0] ?? '', /nested too deeply/)
})
