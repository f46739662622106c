import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { AcceptQueue, Lanes } from '#operations'
import type { Database } from '#platform/database'
import { isAnswering } from './health-store.ts'

/** `/healthz`: the process lives. `/readyz`: it can do its work. `/metrics`: how it does it. */
export function addHealth(
  server: FastifyInstance,
  parts: { database: Database; acceptQueue: AcceptQueue; lanes: Lanes },
): void {
  server.get('/healthz', (_, reply) => reply.type('text/plain').send('ok\n'))
  server.get('/readyz', async (_, reply) => {
    const isReady = await isAnswering(parts.database)
    if (isReady) return reply.type('text/plain').send('ready\n')
    return reply.code(503).type('text/plain').send('the database does not answer\n')
  })
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  addQueueMetrics(metrics, parts)
  addRequestMetrics(server, metrics)
  server.get('/metrics', async (_, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  )
}

function addQueueMetrics(
  metrics: Registry,
  { acceptQueue, lanes }: { acceptQueue: AcceptQueue; lanes: Lanes },
): void {
  new Gauge({
    name: 'posthouse_accept_waiting',
    help: 'Async operations waiting for their commit.',
    registers: [metrics],
    collect() {
      this.set(acceptQueue.waitingCount)
    },
  })
  new Gauge({
    name: 'posthouse_sync_waiting',
    help: 'Sync operations waiting for their turn.',
    registers: [metrics],
    collect() {
      this.set(lanes.waitingCount)
    },
  })
}

function addRequestMetrics(server: FastifyInstance, metrics: Registry): void {
  const answered = new Counter({
    name: 'posthouse_http_answers_total',
    help: 'Requests answered, by route and HTTP status.',
    labelNames: ['route', 'status'],
    registers: [metrics],
  })
  const seconds = new Histogram({
    name: 'posthouse_http_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [metrics],
  })
  // One label lookup per kind of answer, not per answer.
  const kinds = new Map<string, { count: () => void; observe: (seconds: number) => void }>()
  const kindOf = (route: string, status: number) => {
    const key = `${status} ${route}`
    const known = kinds.get(key)
    if (known !== undefined) return known
    const counter = answered.labels(route, String(status))
    const histogram = seconds.labels(route)
    const kind = {
      count: () => counter.inc(),
      observe: (value: number) => histogram.observe(value),
    }
    kinds.set(key, kind)
    return kind
  }
  server.addHook('onResponse', (request, reply, next) => {
    const kind = kindOf(request.routeOptions.url ?? 'none', reply.statusCode)
    kind.count()
    kind.observe(reply.elapsedTime / 1000)
    next()
  })
}
