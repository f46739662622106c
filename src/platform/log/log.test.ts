import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { type LogOptions, logTo } from './log.ts'

function linesOf(options: LogOptions, work: (log: ReturnType<typeof logTo>) => void): string[] {
  const lines: string[] = []
  work(logTo(options, (line) => lines.push(line)))
  return lines
}

test('a line is JSON with level, time, fields and message', () => {
  const [line] = linesOf({ level: 'info', pretty: false }, (log) => log.info({ port: 80 }, 'ready'))
  const { time, ...rest } = JSON.parse(line ?? '')
  assert.deepEqual(rest, { level: 'info', port: 80, message: 'ready' })
  assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

test('lines below the level are not written', () => {
  const lines = linesOf({ level: 'warn', pretty: false }, (log) => {
    log.debug({}, 'a')
    log.info({}, 'b')
    log.warn({}, 'c')
    log.error({}, 'd')
  })
  assert.equal(lines.length, 2)
})

test('an error is written with its causes but without the values a database refused', () => {
  const refused = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: 'a@b.example',
  })
  const error = new Error('outer', { cause: refused })
  const [line = ''] = linesOf({ level: 'info', pretty: false }, (log) => log.error({ error }, 'x'))
  assert.equal(JSON.parse(line).error.cause.code, '23505')
  assert.doesNotMatch(line, /a@b\.example/)
})

test('an error that causes itself ends', () => {
  const error = new Error('round')
  error.cause = error
  const lines = linesOf({ level: 'info', pretty: false }, (log) => log.error({ error }, 'x'))
  assert.equal(lines.length, 1)
})

test('a pretty line is for people', () => {
  const [line = ''] = linesOf({ level: 'info', pretty: true }, (log) =>
    log.warn({ attempt: 2, reason: 'no answer' }, 'trying again'),
  )
  assert.match(line, /^\d\d:\d\d:\d\d warn {2}trying again attempt=2 reason="no answer"\n$/)
})

test('the log goes to standard error and leaves standard output alone', () => {
  const script = `import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
    createLog({ level: 'info', pretty: false }).info({}, 'hello')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  assert.equal(stdout, '')
  assert.match(stderr, /"message":"hello"/)
})
