import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import type { OperationRequest } from './operation.ts'
import { SyncQueue } from './sync-queue.ts'

const MAX_WAIT_MS = 10_000
const everybody = () => true
const DONE = { kind: 'alreadyProcessed' } as const

beforeEach((context) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  if ('after' in context) context.after(() => mock.timers.reset())
})

function request(name: string): OperationRequest {
  return {
    name,
    kind: 'editCustomer',
    mode: 'sync',
    endpoint: 'website',
    mechanism: 'default',
    transactionId: null,
    customer: {} as OperationRequest['customer'],
    message: null,
  }
}

const namesOf = (waiting: { request: OperationRequest }[]) =>
  waiting.map(({ request: { name } }) => name)

test('those whose turn has come are taken in the order of arrival, up to a limit', () => {
  const queue = new SyncQueue(MAX_WAIT_MS)
  for (const name of ['a', 'b', 'c', 'd']) void queue.wait(request(name))
  assert.deepEqual(namesOf(queue.take(2, ({ arrival }) => arrival !== 1)), ['b', 'c'])
  assert.deepEqual(namesOf(queue.take(9, everybody)), ['a', 'd'])
  assert.equal(queue.length, 0)
})

test('one that nobody takes is withdrawn when its time is up, and cannot be taken then', async () => {
  const queue = new SyncQueue(MAX_WAIT_MS)
  const outcome = queue.wait(request('a'))
  mock.timers.tick(MAX_WAIT_MS)
  assert.deepEqual(await outcome, { kind: 'withdrawn' })
  assert.deepEqual(queue.take(9, everybody), [])
})

test('one that was taken is answered and never withdrawn', async () => {
  const queue = new SyncQueue(MAX_WAIT_MS)
  const outcome = queue.wait(request('a'))
  const [taken] = queue.take(1, everybody)
  mock.timers.tick(MAX_WAIT_MS)
  taken?.resolve(DONE)
  assert.deepEqual(await outcome, DONE)
})

test('a fault reaches the caller', async () => {
  const queue = new SyncQueue(MAX_WAIT_MS)
  const outcome = queue.wait(request('a'))
  queue.take(1, everybody)[0]?.reject(new Error('broken'))
  await assert.rejects(outcome, /broken/)
})

test('those put back keep their place before later ones', () => {
  const queue = new SyncQueue(MAX_WAIT_MS)
  void queue.wait(request('a'))
  void queue.wait(request('b'))
  const taken = queue.take(2, everybody)
  void queue.wait(request('c'))
  queue.putBack(taken)
  assert.deepEqual(namesOf(queue.take(9, everybody)), ['a', 'b', 'c'])
})

test('a fence is set once, and only for those who were there when it was read', () => {
  const queue = new SyncQueue(MAX_WAIT_MS)
  void queue.wait(request('early'))
  const { lastArrival } = queue
  void queue.wait(request('late'))
  queue.setFence(7, lastArrival)
  queue.setFence(9, queue.lastArrival)
  const fences = queue.take(9, everybody).map(({ fence }) => fence)
  assert.deepEqual(fences, [7, 9])
})

test('past two thousand a caller is sent away', async () => {
  const queue = new SyncQueue(MAX_WAIT_MS)
  for (let count = 0; count < 2_000; count++) void queue.wait(request('a'))
  assert.deepEqual(await queue.wait(request('b')), { kind: 'full' })
  assert.equal(queue.length, 2_000)
})
