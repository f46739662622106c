import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOfProject } from './project-folder-fixture.ts'

test('identifier kinds are names or blocks with a title', async () => {
  assert.deepEqual(
    await problemsOfProject('identifierKinds: [siteId, { name: crmId, title: CRM }]'),
    [],
  )
})

test('identifier kinds are checked', async () => {
  const text = 'identifierKinds:\n  - customerId\n  - crmId\n  - crmId\n  - { title: X }\n  - 12\n'
  assert.deepEqual(await problemsOfProject(text), [
    'project.yaml:4:5 the name `customerId` is reserved | Choose another name.',
    'project.yaml:6:5 identifier kind `crmId` is in this list twice',
    'project.yaml:7:5 the identifier kind has no name | Add `name`.',
    'project.yaml:8:5 this must be a text, not the number 12 | Write it in quotes: "12".',
  ])
})

test('a block of identifier kinds is refused, since its order would mean nothing', async () => {
  assert.deepEqual(await problemsOfProject('identifierKinds:\n  crmId:\n'), [
    'project.yaml:4:3 this must be a list, not a block of settings | Write `[a, b]`.',
  ])
})

test('a custom field cannot have the name of an identifier kind', async () => {
  const text = 'identifierKinds: [crmId]\ncustomFields:\n  crmId: string\n'
  assert.deepEqual(await problemsOfProject(text), [
    'project.yaml:5:3 `crmId` is the name of an identifier kind already | Fields and identifier kinds share one list of names.',
  ])
})

test('the types of custom fields are checked', async () => {
  const text = [
    'customFields:',
    '  size: text',
    '  colour: { type: enum }',
    '  shape: { type: enum, values: [round, round] }',
    '  weight: { type: decimal, values: [a] }',
    '  tags: { type: list }',
    '  untyped: { personnal: true }',
    '  flag: { type: boolean, list: yes }',
    '',
  ].join('\n')
  assert.deepEqual(await problemsOfProject(text), [
    'project.yaml:4:9 this must be one of string, integer, decimal, boolean, date, dateTime, enum, not `text`',
    'project.yaml:5:3 field `colour` is an enum without values | Add `values: [small, large]`.',
    'project.yaml:6:40 `round` is in this list twice',
    'project.yaml:7:36 only an enum has values, and `weight` is of type decimal | Write `type: enum`, or remove the values.',
    'project.yaml:8:17 `list` does not say what the list is of | Write the type of its items, and `list: true` beside it.',
    'project.yaml:9:3 field `untyped` has no type | Types: string, integer, decimal, boolean, date, dateTime, enum.',
    'project.yaml:9:14 there is no setting `personnal` here | Did you mean `personal`?',
    'project.yaml:10:32 this must be true or false, not `yes`',
  ])
})

test('topics are checked', async () => {
  const text = 'topics:\n  News:\n  offers: { subscribedByDefault: 1 }\n'
  const problems = await problemsOfProject(text)
  assert.equal(problems.length, 2)
  assert.match(problems[0] ?? '', /^project\.yaml:4:3 `News` is not a good name.*`news`/)
  assert.match(
    problems[1] ?? '',
    /^project\.yaml:5:34 this must be true or false, not the number 1/,
  )
})

test('more than a thousand fields are too many', async () => {
  const fields = Array.from({ length: 1_001 }, (_, number) => `  field${number}: string\n`)
  assert.deepEqual(await problemsOfProject(`customFields:\n${fields.join('')}`), [
    'project.yaml:4:3 there are 1001 here, more than 1000',
  ])
  assert.deepEqual(await problemsOfProject(`customFields:\n${fields.slice(1).join('')}`), [])
})
