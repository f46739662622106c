import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Database, findEmbedded } from '#platform/database'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { eventually } from '../support/eventually.ts'
import { checkLedger, runLoad } from '../support/load.ts'
import type { RunningService } from '../support/processes.ts'
import { seededRandom } from '../support/random.ts'
import { rounds } from '../support/settings.ts'
import { openShop, startShopService } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SEED = 20_260_304
const CLIENTS = 16
/** Always as many: each time the server dies soon, it is started again after a longer wait. */
const KILLS = 5
const OPERATIONS_PER_KILL = rounds(150)

test('a service whose PostgreSQL is killed again and again survives and loses nothing', async () => {
  await using folder = await temporaryFolder()
  await using service = await startShopService({
    databaseUrl: '',
    env: { POSTHOUSE_DATA_DIR: folder.path },
  })
  await using database = await connectTo(folder.path)
  const shop = await openShop(database)
  await eventually('the service knows the shop', () => knows(service, shop.endpointId))
  let killed = 0
  let recovery: Promise<void> | null = null

  const killAndWait = async () => {
    const pid = await postmasterPid(folder.path)
    process.kill(pid, 'SIGKILL')
    await eventually('the service is ready again', async () => {
      const hasNew = (await postmasterPid(folder.path).catch(() => pid)) !== pid
      return hasNew && (await fetch(`${service.baseUrl}/readyz`)).ok
    })
  }
  const ledger = await runLoad({
    target: service,
    shop,
    random: seededRandom(SEED),
    clients: CLIENTS,
    operations: OPERATIONS_PER_KILL * (KILLS + 1),
    onEnded: (count) => {
      if (recovery !== null || killed === KILLS) return
      if (count < OPERATIONS_PER_KILL * (killed + 1)) return
      killed += 1
      recovery = killAndWait().then(() => {
        recovery = null
      })
    },
  })
  await recovery

  assert.equal(killed, KILLS)
  assert.ok(ledger.faults.length > 0, 'nobody noticed that the database was away')
  for (const { httpStatus, hasRetryAfter } of ledger.faults) {
    assert.ok(httpStatus === 500 || (httpStatus === 503 && hasRetryAfter), `answered ${httpStatus}`)
  }
  assert.equal((await fetch(`${service.baseUrl}/healthz`)).status, 200)
  await eventually('the inbox is empty', () => isDrained(database))
  await checkLedger(database, shop, ledger)
  await checkConsistency(database)
  await service.stop()
})

async function connectTo(dataDir: string): Promise<Database> {
  const connection = await findEmbedded(dataDir)
  assert.ok(connection)
  return new Database({ connection, maxConnections: 2, onIdleError: () => {} })
}

async function knows({ baseUrl }: RunningService, endpointId: string): Promise<boolean> {
  const { status } = await fetch(
    `${baseUrl}/v3/operations/sync?endpointId=${endpointId}&operation=EditCustomer`,
    { method: 'POST', body: '', headers: { 'content-type': 'application/xml' } },
  )
  // The endpoint and the operation are found, and the body is the next thing that is wrong.
  return status === 400
}

async function postmasterPid(dataDir: string): Promise<number> {
  const [line] = (await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')
  return Number(line)
}
