import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  aProjectFolder,
  GOOD_HEADER,
  GOOD_MAILING,
  problemsOf,
  problemsOfProject,
} from './project-folder-fixture.ts'
import { readProjectFolder } from './read-folder.ts'

const DEMO_SHOP = join(import.meta.dirname, '../../examples/demo-shop')

test('the demo shop is a good project', async () => {
  const reading = await readProjectFolder(DEMO_SHOP)
  assert.deepEqual(reading.kind === 'invalid' && reading.problems, false)
  assert.ok(reading.kind === 'valid')
  const { definition } = reading
  assert.deepEqual(
    definition.identifierKinds.map(({ name }) => name),
    ['webSiteUserId', 'crmId'],
  )
  assert.deepEqual(
    definition.operations.map(({ name, kind, authentication, mailings }) => {
      const channels = mailings.map(
        (mailing) => definition.mailings.find((m) => m.name === mailing)?.channel,
      )
      return [name, kind, authentication, ...channels]
    }),
    [
      ['EditCustomer', 'editCustomer', 'secretKeyOrTicket'],
      ['OrderConfirmation', 'triggerMessage', 'secretKey', 'Email', 'Sms', 'Viber'],
      ['Welcome', 'triggerMessage', 'secretKey', 'Email'],
      ['News', 'triggerMessage', 'secretKey', 'Email'],
    ],
  )
  for (const mailing of definition.mailings.filter(({ name }) => name.startsWith('order-'))) {
    assert.deepEqual(mailing.parameters, [
      { name: 'orderNumber', type: 'text', isRequired: true, default: null },
      { name: 'total', type: 'number', isRequired: false, default: null },
      { name: 'items', type: 'html', isRequired: false, default: null },
    ])
  }
  assert.equal(definition.mailings.find(({ name }) => name === 'news')?.topic, 'news')
})

test('what is not said has its default', async () => {
  await using folder = await aProjectFolder({
    'project.yaml': `${GOOD_HEADER}endpoints:
  site:
identifierKinds: [crmId]
customFields:
  size: string
topics:
  news:
operations:
  Edit: { kind: editCustomer, rateLimitPerMinute: 5 }
`,
    'mailings/hello.yaml': `${GOOD_MAILING}parameters:
  a: number
  b: { type: list, default: [x, y] }
  c: { type: number, default: 1.50 }
`,
  })
  assert.deepEqual(await readProjectFolder(folder.dir), {
    kind: 'valid',
    definition: {
      name: 'corner-shop',
      title: 'corner-shop',
      locale: 'en',
      defaultCountry: 'DE',
      timeZone: 'UTC',
      endpoints: [
        { name: 'site', title: 'site', transactionMechanism: 'default', operations: null },
      ],
      identifierKinds: [{ name: 'crmId', title: 'crmId' }],
      customFields: [
        {
          name: 'size',
          title: 'size',
          type: 'string',
          isList: false,
          values: [],
          isPersonal: false,
        },
      ],
      topics: [{ name: 'news', title: 'news', isSubscribedByDefault: true }],
      operations: [
        {
          name: 'Edit',
          kind: 'editCustomer',
          authentication: 'secretKey',
          fields: null,
          whenNotFound: 'create',
          rateLimitPerMinute: 5,
          rateLimitPerAddressPerMinute: 1,
          mailings: [],
        },
      ],
      mailings: [
        {
          name: 'hello',
          title: 'hello',
          channel: 'Sms',
          topic: null,
          parameters: [
            { name: 'a', type: 'number', isRequired: false, default: null },
            { name: 'b', type: 'list', isRequired: false, default: '["x","y"]' },
            { name: 'c', type: 'number', isRequired: false, default: '1.50' },
          ],
          secretLinkLifeHours: 24,
          templates: { text: 'Hello' },
          utm: {},
        },
      ],
    },
  })
})

test('problems of all files come at once, in reading order', async () => {
  const problems = await problemsOf({
    'project.yaml': 'name: shop\ndefaultCountry: DE\nendpoint:\n  site:\n',
    'mailings/b.yaml': 'channel: Sms\ntransactional: true\n',
    'mailings/a.yaml': 'channel: [\n',
  })
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['project.yaml:3:1', 'mailings/a.yaml:2:1', 'mailings/b.yaml:1:1'],
  )
})

test('mailings are checked even when project.yaml cannot be read', async () => {
  const problems = await problemsOf({
    'project.yaml': 'name: [\n',
    'mailings/a.yaml': 'channel: Sms\ntopic: whatever\n',
  })
  assert.ok(problems.some((problem) => problem.startsWith('project.yaml:')))
  assert.deepEqual(
    problems.filter((problem) => problem.startsWith('mailings/')),
    ['mailings/a.yaml:1:1 a mailing by Sms needs a text | Add `text` or `textFile`.'],
  )
})

test('a name that comes twice is reported with its first place', async () => {
  assert.deepEqual(await problemsOfProject('topics:\n  news:\n  news:\n'), [
    'project.yaml:5:3 `news` is here twice, first in line 4',
  ])
})

test('a list where names are expected gets the advice how to write it', async () => {
  assert.deepEqual(await problemsOfProject('endpoints:\n  - name: website\n'), [
    'project.yaml:4:3 this must be a block of `name: value`, not a list | Write `name:` and its settings below, without the dash.',
  ])
})

test('a missing file and a missing folder are problems', async () => {
  assert.deepEqual(await problemsOf({ 'project.yml': GOOD_HEADER }), [
    'project.yaml:1:1 there is no file `project.yaml` | Did you mean `project.yml`?',
  ])
  const reading = await readProjectFolder(join(DEMO_SHOP, 'nowhere'))
  assert.deepEqual(reading.kind === 'invalid' && reading.problems.length, 1)
})

test('mailings that a link puts elsewhere are not read', async () => {
  await using elsewhere = await aProjectFolder({ 'hello.yaml': GOOD_MAILING })
  await using folder = await aProjectFolder({ 'project.yaml': GOOD_HEADER })
  await symlink(elsewhere.dir, join(folder.dir, 'mailings'))
  const reading = await readProjectFolder(folder.dir)
  assert.deepEqual(reading.kind === 'invalid' && reading.problems.map(({ message }) => message), [
    '`mailings` leads out of the project folder',
  ])
})
