import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  GOOD_HEADER,
  GOOD_MAILING,
  problemsOf,
  problemsOfMailing,
} from './project-folder-fixture.ts'

const FILE = 'mailings/hello.yaml'
const NEITHER =
  'the mailing says neither `topic` nor `transactional: true` | Give the topic it belongs to, or say that it is sent whatever the customer subscribed to.'

test('a mailing says its channel and whether it obeys subscriptions', async () => {
  assert.deepEqual(await problemsOfMailing('text: Hello\n'), [
    `${FILE}:1:1 the mailing has no channel | Channels: Email, Sms, Viber.`,
    `${FILE}:1:1 ${NEITHER}`,
  ])
  assert.deepEqual(await problemsOfMailing('channel: SMS\ntransactional: false\ntext: x\n'), [
    `${FILE}:1:1 ${NEITHER}`,
    `${FILE}:1:10 this must be one of Email, Sms, Viber, not \`SMS\` | Did you mean \`Sms\`?`,
  ])
})

test('topic and transactional exclude each other, and the topic exists', async () => {
  assert.deepEqual(await problemsOfMailing('channel: Sms\ntopic: news\ntext: x\n'), [])
  assert.deepEqual(
    await problemsOfMailing('channel: Sms\ntopic: nwes\ntransactional: true\ntext: x\n'),
    [
      `${FILE}:2:8 a transactional mailing ignores subscriptions, so it cannot have a topic | Keep one of \`topic\` and \`transactional\`.`,
      `${FILE}:2:8 there is no topic \`nwes\` | Did you mean \`news\`?`,
    ],
  )
})

test('every channel has the templates it needs and no others', async () => {
  assert.deepEqual(await problemsOfMailing('channel: Email\ntransactional: true\n'), [
    `${FILE}:1:1 a mailing by Email needs a subject | Add \`subject\`.`,
    `${FILE}:1:1 a mailing by Email needs a body | Add \`html\`, \`mjml\` or \`text\`, or one of them as a file, as in \`htmlFile\`.`,
  ])
  assert.deepEqual(await problemsOfMailing('channel: Viber\ntransactional: true\nhtml: x\n'), [
    `${FILE}:1:1 a mailing by Viber needs a text | Add \`text\` or \`textFile\`.`,
    `${FILE}:3:7 a mailing by Viber has no \`html\` | Remove it.`,
  ])
  const both = 'channel: Email\ntransactional: true\nsubject: x\nhtml: x\nmjml: x\n'
  assert.deepEqual(await problemsOfMailing(both), [
    `${FILE}:4:7 MJML becomes the HTML, so both cannot be sent | Keep one of them.`,
  ])
})

test('a subject is one line', async () => {
  const text = 'channel: Email\ntransactional: true\ntext: x\nsubject: |\n  one\n  two\n'
  assert.deepEqual(await problemsOfMailing(text), [`${FILE}:4:10 a subject is one line`])
  assert.deepEqual(await problemsOfMailing(text.replace('  two\n', '')), [])
})

test('template files are found, or missed with a suggestion', async () => {
  const text = 'channel: Email\ntransactional: true\nsubject: x\nhtmlFile: helo.html\n'
  assert.deepEqual(
    await problemsOfMailing(text.replace('helo', 'hello'), { 'mailings/hello.html': 'x' }),
    [],
  )
  assert.deepEqual(await problemsOfMailing(text, { 'mailings/hello.html': 'x' }), [
    'mailings/hello.html:1:1 no mailing uses this file | Name it, as in `htmlFile: hello.html`, or move it out of `mailings/`.',
    `${FILE}:4:11 there is no file \`mailings/helo.html\` | Did you mean \`mailings/hello.html\`?`,
  ])
  const shared = text.replace('helo', '../shared/hello')
  assert.deepEqual(await problemsOfMailing(shared, { 'shared/hello.html': 'x' }), [])
})

test('template files do not lead out of the project', async () => {
  const text = 'channel: Sms\ntransactional: true\ntextFile: PATH\n'
  for (const path of ['../../x.txt', '/etc/hostname']) {
    const problems = await problemsOfMailing(text.replace('PATH', path))
    assert.equal(problems.length, 1)
    assert.match(
      problems[0] ?? '',
      /^mailings\/hello\.yaml:3:11 .* leads out of the project folder$/,
    )
  }
})

test('inline and file together are one too many, and an empty file is none', async () => {
  const text = 'channel: Sms\ntransactional: true\ntext: x\ntextFile: hello.txt\n'
  assert.deepEqual(await problemsOfMailing(text, { 'mailings/hello.txt': '\n' }), [
    `${FILE}:4:11 \`text\` and \`textFile\` are both here | Keep one of them.`,
    `${FILE}:4:11 \`hello.txt\` is empty`,
  ])
})

test('parameters are checked with their defaults', async () => {
  const parameters = [
    'parameters:',
    '  a: { type: number, default: twelve }',
    '  b: { type: date, default: 2026-02-30 }',
    '  c: { type: boolean, default: 1 }',
    '  d: { type: list, default: x }',
    '  e: { type: text, required: true, default: x }',
    '  f: { type: text, default: 5 }',
    '  g: { default: x }',
    '  h: string',
    '  1st: text',
    '  j: { type: number, default: 0x1F }',
    '',
  ].join('\n')
  const problems = await problemsOfMailing(GOOD_MAILING + parameters)
  assert.deepEqual(
    problems.map((problem) => problem.replace(/ is not a good name.*/, ' is bad')),
    [
      `${FILE}:5:31 this default must be a number such as 12 or 12.50, not \`twelve\``,
      `${FILE}:6:29 this default must be a date such as 2026-01-31, not \`2026-02-30\``,
      `${FILE}:7:32 this default must be true or false, not the number 1`,
      `${FILE}:8:29 this default must be a list of texts, not \`x\``,
      `${FILE}:9:45 parameter \`e\` is required, so its default would never be used | Keep one of \`required\` and \`default\`.`,
      `${FILE}:10:29 this default must be a text, not the number 5`,
      `${FILE}:11:3 parameter \`g\` has no type | Types: text, html, number, boolean, date, list.`,
      `${FILE}:12:6 this must be one of text, html, number, boolean, date, list, not \`string\``,
      `${FILE}:13:3 \`1st\` is bad`,
      `${FILE}:14:31 this default must be a number such as 12 or 12.50, not the number 0x1F`,
    ],
  )
})

test('the other settings are checked', async () => {
  const text = `${GOOD_MAILING}secretLinkLifeHours: 0\nutm: { sorce: x }\nchanel: Sms\n`
  assert.deepEqual(await problemsOfMailing(text), [
    `${FILE}:4:22 this must be a whole number from 1 to 8784, not the number 0`,
    `${FILE}:5:8 there is no setting \`sorce\` here | Did you mean \`source\`?`,
    `${FILE}:6:1 there is no setting \`chanel\` here | Did you mean \`channel\`?`,
  ])
})

test('a mailing is declared once, by a good name, in the folder itself', async () => {
  const problems = await problemsOf({
    'project.yaml': GOOD_HEADER,
    'mailings/a.yaml': GOOD_MAILING,
    'mailings/a.yml': GOOD_MAILING,
    'mailings/Big.yaml': GOOD_MAILING,
    'mailings/sub/b.yaml': GOOD_MAILING,
    'mailings/photo.png': 'x',
  })
  assert.equal(problems.length, 4)
  assert.match(problems[0] ?? '', /^mailings\/Big\.yaml:1:1 `Big` is not a good name.*`big`/)
  assert.equal(problems[1], 'mailings/a.yml:1:1 mailing `a` is declared twice | Keep one file.')
  assert.equal(
    problems[2],
    'mailings/photo.png:1:1 no mailing uses this file | Remove it, or move it out of `mailings/`.',
  )
  assert.equal(
    problems[3],
    'mailings/sub/b.yaml:1:1 no mailing uses this file | Move it to `mailings/` itself, where mailings are read from.',
  )
})
