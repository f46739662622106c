import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Database, migrate, startEmbedded } from '#platform/database'
import { makeKey } from '#projects'
import { apply } from '../src/cli/apply.ts'
import { fillCustomers } from './support/fill-customers.ts'
import { rssMbOf, runProgram, startProgram } from './support/processes.ts'

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, customers: { type: 'string' } },
})
const seconds = values.quick ? 5 : 15
const CONNECTIONS = 64
const here = (path: string) => join(import.meta.dirname, path)
const masterKey = randomBytes(32)

interface LoadResult {
  count: number
  perS: number
  p50Ms: number
  p99Ms: number
  customers: number
  answers: Record<string, number>
}

interface ProjectResult {
  async: LoadResult
  sync: LoadResult
  appliedPerS: number
  rssMb: number
}

// Before and after, because a shared machine is not as fast in one minute as in the next.
const before = await measureBare()
const empty = await measureProject(0)
const filled = values.customers ? await measureProject(Number(values.customers)) : undefined
const bare = meanOf(before, await measureBare())
show(bare, empty, filled)

async function measureBare(): Promise<LoadResult> {
  await using server = await startProgram(here('support/bare-server.ts'), [])
  const load = { port: server.port, mode: 'async', key: 'none', known: 0 }
  await runLoad({ ...load, run: 'warm', seconds: 2 })
  return await runLoad({ ...load, run: 'bare', seconds })
}

function meanOf(one: LoadResult, other: LoadResult): LoadResult {
  return {
    ...one,
    perS: (one.perS + other.perS) / 2,
    p50Ms: (one.p50Ms + other.p50Ms) / 2,
    p99Ms: Math.max(one.p99Ms, other.p99Ms),
  }
}

/** A database and a process of its own, so that one run leaves nothing to the next. */
async function measureProject(customerCount: number): Promise<ProjectResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'posthouse-bench-'))
  // As root the database runs under another account, which has to get in.
  await chmod(dataDir, 0o755)
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const embedded = stack.use(await startEmbedded({ dataDir, log: () => {} }))
  const database = stack.use(
    new Database({ connection: embedded.connection, maxConnections: 2, onIdleError: () => {} }),
  )
  await migrate(database, here('../migrations'))
  const key = await prepareProject(database)
  if (customerCount > 0) await fillCustomers(database, customerCount)
  const { host, user, database: name } = embedded.connection
  const main = stack.use(
    await startProgram(here('../bin/posthouse'), ['start', '--port', '0'], {
      POSTHOUSE_DATABASE_URL: `postgres:///${name}?host=${host}&user=${user}`,
      POSTHOUSE_MASTER_KEY: masterKey.toString('base64'),
      POSTHOUSE_RATE_LIMITS: 'off',
      POSTHOUSE_LOG_LEVEL: 'warn',
    }),
  )
  const load = { port: main.port, key }
  const warmSync = await runLoad({
    ...load,
    mode: 'sync',
    run: 'w1',
    known: customerCount,
    seconds: 3,
  })
  const warm = await runLoad({
    ...load,
    mode: 'async',
    run: 'w2',
    known: warmSync.customers,
    seconds: 2,
  })
  await waitUntilApplied(database)
  const startedMs = performance.now()
  const async = await runLoad({
    ...load,
    mode: 'async',
    run: 'async',
    known: warm.customers,
    seconds,
  })
  const rssMb = await rssMbOf(main.child.pid ?? 0)
  await waitUntilApplied(database)
  const appliedPerS = async.count / ((performance.now() - startedMs) / 1000)
  const sync = await runLoad({
    ...load,
    mode: 'sync',
    run: 'sync',
    known: async.customers,
    seconds,
  })
  return { async, sync, appliedPerS, rssMb: Math.max(rssMb, await rssMbOf(main.child.pid ?? 0)) }
}

async function prepareProject(database: Database): Promise<string> {
  const context = { database, masterKey, out: () => {}, err: console.error }
  if ((await apply([here('../examples/demo-shop')], context)) !== 0) throw new Error('not applied')
  const made = await database.transaction((transaction) =>
    makeKey(transaction, { endpointId: 'demo-shop.website', masterKey }),
  )
  if (made.kind !== 'made') throw new Error('no key')
  return made.key.value
}

async function runLoad(load: Record<string, string | number>): Promise<LoadResult> {
  const args = Object.entries({ ...load, connections: CONNECTIONS }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ])
  const result = await runProgram<LoadResult>(here('support/load.ts'), args)
  const failed = Object.keys(result.answers).filter((status) => status !== 'Success')
  if (failed.length > 0) throw new Error(`not all succeeded: ${JSON.stringify(result.answers)}`)
  return result
}

async function waitUntilApplied(database: Database): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ isEmpty: boolean }>({
      text: `select not exists (select from inbox) as "isEmpty"`,
    })
    if (row?.isEmpty) return
    await sleep(20)
  }
}

function show(bare: LoadResult, empty: ProjectResult, filled: ProjectResult | undefined): void {
  const ratio = (value: number) => value / bare.perS
  const rows = [
    { run: 'bare', perS: bare.perS, ratio: 1, p50Ms: bare.p50Ms, p99Ms: bare.p99Ms },
    ...projectRows('empty project', empty, ratio),
    ...(filled ? projectRows(`${values.customers} customers`, filled, ratio) : []),
  ]
  console.table(
    rows.map((row) => ({
      run: row.run,
      'per second': Math.round(row.perS),
      'of bare': row.ratio.toFixed(3),
      'p50 ms': row.p50Ms?.toFixed(1) ?? '',
      'p99 ms': row.p99Ms?.toFixed(1) ?? '',
    })),
  )
  const figures: Record<string, number> = {
    asyncPerS: empty.async.perS,
    appliedPerS: empty.appliedPerS,
    syncPerS: empty.sync.perS,
    barePerS: bare.perS,
    asyncRatio: ratio(empty.async.perS),
    appliedRatio: ratio(empty.appliedPerS),
    syncRatio: ratio(empty.sync.perS),
    p50Ms: empty.async.p50Ms,
    p99Ms: Math.max(empty.async.p99Ms, empty.sync.p99Ms),
    rssMb: empty.rssMb,
  }
  // The worst of the three: none of them may suffer from a project's size.
  if (filled) {
    figures.growthRatio = Math.min(
      filled.async.perS / empty.async.perS,
      filled.appliedPerS / empty.appliedPerS,
      filled.sync.perS / empty.sync.perS,
    )
  }
  const rounded = Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(3))])
  console.log(JSON.stringify({ bench: 'accept', figures: Object.fromEntries(rounded) }))
}

function projectRows(
  name: string,
  result: ProjectResult,
  ratio: (value: number) => number,
): { run: string; perS: number; ratio: number; p50Ms?: number; p99Ms?: number }[] {
  const { async, sync, appliedPerS } = result
  return [
    { run: `async, ${name}`, ratio: ratio(async.perS), ...async },
    { run: `applied, ${name}`, ratio: ratio(appliedPerS), perS: appliedPerS },
    { run: `sync, ${name}`, ratio: ratio(sync.perS), ...sync },
  ]
}
