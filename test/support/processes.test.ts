import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { startService } from './processes.ts'

test('a service is ready, says where, and stops in order', async () => {
  await using own = await testDatabase()
  await using service = await startService({ databaseUrl: own.url })
  assert.match(service.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/)
  const answer = await fetch(`${service.baseUrl}/nothing-here`)
  assert.equal(answer.status, 404)
  await service.stop()
  await assert.rejects(fetch(service.baseUrl))
})

test('a service that does not start says why', async () => {
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/nothing'
  await assert.rejects(startService({ databaseUrl }), /the service ended.*ECONNREFUSED/s)
})

test('a service on a database of its own survives being killed', async () => {
  await using own = await testDatabase()
  const first = await startService({ databaseUrl: own.url })
  await first.kill('SIGKILL')
  await first[Symbol.asyncDispose]()
  await using again = await startService({ databaseUrl: own.url })
  assert.notEqual(again.pid, first.pid)
})
