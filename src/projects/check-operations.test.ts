import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GOOD_MAILING, problemsOfProject } from './project-folder-fixture.ts'

const SMS = GOOD_MAILING
const VIBER = SMS.replace('Sms', 'Viber')

test('mailings are known, distinct and one per channel', async () => {
  const text = [
    'operations:',
    '  Order:',
    '    kind: triggerMessage',
    '    mailings: [order-sms, order-viber, order-smss, order-sms, other-sms]',
    '',
  ].join('\n')
  const mailings = { 'order-sms': SMS, 'order-viber': VIBER, 'other-sms': SMS }
  assert.deepEqual(await problemsOfProject(text, mailings), [
    'project.yaml:6:40 there is no mailing `order-smss` | Did you mean `order-sms`?',
    'project.yaml:6:52 `order-sms` is in this list twice',
    'project.yaml:6:63 `order-sms` and `other-sms` both go by Sms; an operation has one mailing per channel | Make a second operation.',
  ])
})

test('an edit has no mailings and a trigger needs one', async () => {
  const text = [
    'operations:',
    '  Edit: { kind: editCustomer, mailings: [order] }',
    '  Order: { kind: triggerMessage }',
    '  Empty: { kind: triggerMessage, mailings: [] }',
    '  Untold:',
    '  Wrong: { kind: trigger }',
    '',
  ].join('\n')
  assert.deepEqual(await problemsOfProject(text, { order: SMS }), [
    'project.yaml:4:41 an operation that edits a customer sends nothing, so it has no mailings | Write `kind: triggerMessage`, or remove the mailings.',
    'project.yaml:5:3 an operation that triggers a message needs a mailing | Add `mailings: [order-confirmation]`.',
    'project.yaml:6:44 an operation that triggers a message needs a mailing | Add `mailings: [order-confirmation]`.',
    'project.yaml:7:3 operation `Untold` has no kind | Kinds: editCustomer, triggerMessage.',
    'project.yaml:8:18 this must be one of editCustomer, triggerMessage, not `trigger` | Did you mean `triggerMessage`?',
  ])
})

test('a mailing whose file is broken is not an unknown one', async () => {
  const text = 'operations:\n  Order: { kind: triggerMessage, mailings: [order] }\n'
  const problems = await problemsOfProject(text, { order: 'channel: [\n' })
  assert.ok(problems.length > 0)
  assert.ok(problems.every((problem) => problem.startsWith('mailings/order.yaml:')))
})

test('tickets are for edits', async () => {
  const text = [
    'operations:',
    '  A: { kind: triggerMessage, authentication: ticket, mailings: [order] }',
    '  B: { kind: triggerMessage, authentication: secretKeyOrTicket, mailings: [order] }',
    '  C: { kind: triggerMessage, authentication: none, mailings: [order] }',
    '  D: { kind: editCustomer, authentication: ticket }',
    '  E: { kind: editCustomer, authentication: secretkey }',
    '',
  ].join('\n')
  const why = 'a ticket belongs to edit customer calls, and this operation triggers a message'
  assert.deepEqual(await problemsOfProject(text, { order: SMS }), [
    `project.yaml:4:46 ${why} | Write \`secretKey\` or \`none\`.`,
    `project.yaml:5:46 ${why} | Write \`secretKey\` or \`none\`.`,
    'project.yaml:8:44 this must be one of secretKey, ticket, secretKeyOrTicket, none, not `secretkey` | Did you mean `secretKey`?',
  ])
})

test('without authentication there is no html and no password', async () => {
  const text = [
    'operations:',
    '  Order: { kind: triggerMessage, authentication: none, mailings: [order] }',
    '  Edit: { kind: editCustomer, authentication: none, fields: [email, password] }',
    '',
  ].join('\n')
  const order = `${SMS}parameters: { items: html }\n`
  assert.deepEqual(await problemsOfProject(text, { order }), [
    'project.yaml:4:67 without authentication no html is accepted, and `order` has the html parameter `items` | Ask for a secret key, or make the parameter a text.',
    'project.yaml:5:69 without authentication nobody may change a password | Ask for a secret key or a ticket, or remove the field.',
  ])
})

test('fields name what a customer has, and a trigger takes only ids and contacts', async () => {
  const good = [
    'identifierKinds: [crmId]',
    'customFields: { size: string }',
    'operations:',
    '  Edit:',
    '    kind: editCustomer',
    '    fields: [email, mobilePhone, lastName, firstName, birthDate, password, subscriptions,',
    '             ids, ids.crmId, ids.customerId, customFields, customFields.size]',
    '  Order:',
    '    kind: triggerMessage',
    '    mailings: [order]',
    '    fields: [email, mobilePhone, ids, ids.crmId, ids.customerId]',
    '',
  ].join('\n')
  assert.deepEqual(await problemsOfProject(good, { order: SMS }), [])
  const bad = good
    .replace('customFields.size]', 'customFields.sise, ids.size]')
    .replace('[email, mobilePhone, ids,', '[lastName, customFields.size,')
  const problems = await problemsOfProject(bad, { order: SMS })
  assert.deepEqual(
    problems.map((problem) => problem.replace(/ \| Known.*/, '')),
    [
      'project.yaml:9:60 there is no field `customFields.sise` | Did you mean `customFields.size`?',
      'project.yaml:9:79 there is no field `ids.size`',
      'project.yaml:13:14 an operation that triggers a message does not accept `lastName`',
      'project.yaml:13:24 an operation that triggers a message does not accept `customFields.size`',
    ],
  )
})

test('rates are whole and positive', async () => {
  const text = [
    'operations:',
    '  A: { kind: editCustomer, rateLimitPerMinute: 0, rateLimitPerAddressPerMinute: 1.5 }',
    '  B: { kind: editCustomer, fields: [] }',
    '  C: { kind: editCustomer, whenNotFound: rejected }',
    '',
  ].join('\n')
  assert.deepEqual(await problemsOfProject(text), [
    'project.yaml:4:48 this must be a whole number from 1 to 1000000000, not the number 0',
    'project.yaml:4:81 this must be a whole number from 1 to 1000000000, not the number 1.5',
    'project.yaml:5:36 an operation that accepts no field can do nothing | Remove the line to accept every field.',
    'project.yaml:6:42 this must be one of create, ignore, reject, not `rejected` | Did you mean `reject`?',
  ])
})

test('an endpoint lists operations that exist', async () => {
  const text = [
    'operations: { EditCustomer: { kind: editCustomer } }',
    'endpoints:',
    '  website: { operations: [EditCustomer, EditCostumer] }',
    '  Mobile App: { transactionMechanism: My Numbers }',
    '',
  ].join('\n')
  const problems = await problemsOfProject(text)
  assert.equal(problems.length, 3)
  assert.equal(
    problems[0],
    'project.yaml:5:41 there is no operation `EditCostumer` | Did you mean `EditCustomer`?',
  )
  assert.match(problems[1] ?? '', /^project\.yaml:6:3 `Mobile App` is not a good name.*mobile-app/)
  assert.match(problems[2] ?? '', /^project\.yaml:6:39 `My Numbers` is not a good name.*my-numbers/)
})
