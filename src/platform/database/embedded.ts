import { readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DATABASE_NAME, openCluster } from './embedded-cluster.ts'
import { findSocketFolder, openPlace, openSocketFolder } from './embedded-place.ts'
import {
  type Ending,
  Postmaster,
  type PostmasterOptions,
  readPidFile,
  signal,
} from './embedded-postmaster.ts'
import { openProgram, removeRemains } from './embedded-program.ts'

export interface EmbeddedOptions {
  dataDir: string
  log: (line: string) => void
  /** Called each time the server ends without being asked to, before it is started again. */
  onExit?: (reason: string) => void
  /** Settings of PostgreSQL that replace ours. */
  settings?: Record<string, string>
}

/** A PostgreSQL of our own, started again whenever it dies, until it is disposed of. */
export interface EmbeddedDatabase extends AsyncDisposable {
  readonly connection: pg.PoolConfig
  /** The main process of the server as it runs now. */
  readonly pid: number
}

/** A predecessor that was killed has ended its server by then. */
const PREDECESSOR_TIMEOUT_MS = 30_000
/** A server that still answers after this long is not about to stop: its owner is alive. */
const ANSWERING_TIMEOUT_MS = 3_000
const RETRY_MS = 100
const RESTART_WAIT_FIRST_MS = 100
const RESTART_WAIT_LONGEST_MS = 30_000
/** A run of this length counts as healthy, so the next wait is the first one again. */
const HEALTHY_RUN_MS = 60_000
const PROBE_TIMEOUT_MS = 5_000

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const place = await openPlace(options.dataDir, options.log)
  const program = await openProgram(place)
  const cluster = await openCluster(place, program)
  const socketFolder = await openSocketFolder(place)
  const { log, settings = {} } = options
  const parts = { place, program, cluster, socketFolder, settings, log }
  const postmaster = await startPostmaster(parts, { isWanted: () => true })
  try {
    await createDatabase(socketFolder)
    await removeRemains(place, program)
  } catch (error) {
    await postmaster.stop()
    throw error
  }
  return new RunningServer(parts, options, postmaster)
}

/** The server that another process runs on this data directory, if it answers. */
export async function findEmbedded(dataDir: string): Promise<pg.PoolConfig | null> {
  const socketFolder = await findSocketFolder(dataDir)
  if (socketFolder === null || (await probe(socketFolder)) !== 'answers') return null
  return connectionTo(socketFolder, DATABASE_NAME)
}

class RunningServer implements EmbeddedDatabase {
  readonly connection: pg.PoolConfig
  readonly #parts: PostmasterOptions
  readonly #options: EmbeddedOptions
  readonly #kept: Promise<void>
  readonly #disposal = new AbortController()
  #postmaster: Postmaster

  constructor(parts: PostmasterOptions, options: EmbeddedOptions, postmaster: Postmaster) {
    this.connection = connectionTo(parts.socketFolder, DATABASE_NAME)
    this.#parts = parts
    this.#options = options
    this.#postmaster = postmaster
    this.#kept = this.#keepRunning()
  }

  get pid(): number {
    return this.#postmaster.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal.abort()
    await this.#postmaster.stop()
    await this.#kept
  }

  async #keepRunning(): Promise<void> {
    let waitMs = RESTART_WAIT_FIRST_MS
    while (!this.#disposal.signal.aborted) {
      const startedAtMs = Date.now()
      const ending = await this.#postmaster.ended
      if (this.#disposal.signal.aborted) return
      if (Date.now() - startedAtMs > HEALTHY_RUN_MS) waitMs = RESTART_WAIT_FIRST_MS
      waitMs = await this.#restart(`PostgreSQL ended unexpectedly (${reasonOf(ending)})`, waitMs)
    }
  }

  /** Tries until the server runs. Resolves to how long to wait before the first try of the next time. */
  async #restart(reason: string, firstWaitMs: number): Promise<number> {
    const { log, onExit } = this.#options
    onExit?.(reason)
    await stopOrphan(this.#postmaster.pid, this.#parts.cluster)
    let waitMs = firstWaitMs
    for (let why = reason; !this.#disposal.signal.aborted; ) {
      log(`${why}; starting it again in ${waitMs} ms`)
      await this.#sleep(waitMs)
      waitMs = Math.min(waitMs * 2, RESTART_WAIT_LONGEST_MS)
      try {
        await this.#start()
        return waitMs
      } catch (error) {
        why = error instanceof Error ? error.message : String(error)
      }
    }
    return waitMs
  }

  async #start(): Promise<void> {
    await startPostmaster(this.#parts, {
      isWanted: () => !this.#disposal.signal.aborted,
      onSpawn: (postmaster) => {
        this.#postmaster = postmaster
      },
    })
    this.#options.log(`PostgreSQL runs again as process ${this.pid}`)
  }

  async #sleep(waitMs: number): Promise<void> {
    await sleep(waitMs, undefined, { signal: this.#disposal.signal }).catch(() => {})
  }
}

interface StartHooks {
  isWanted: () => boolean
  /** Gets the process before it is ready, because a recovery may take minutes. */
  onSpawn?: (postmaster: Postmaster) => void
}

/** Waits for the server of a predecessor to end, refuses when its owner is alive. */
async function startPostmaster(
  options: PostmasterOptions,
  { isWanted, onSpawn }: StartHooks,
): Promise<Postmaster> {
  const startedAtMs = Date.now()
  let answeringSinceMs: number | null = null
  while (Date.now() - startedAtMs < PREDECESSOR_TIMEOUT_MS && isWanted()) {
    const state = await probe(options.socketFolder)
    if (state === 'answers') {
      answeringSinceMs ??= Date.now()
      if (Date.now() - answeringSinceMs > ANSWERING_TIMEOUT_MS) break
    } else if (state === 'absent' && isWanted()) {
      const postmaster = new Postmaster(options)
      onSpawn?.(postmaster)
      if (await becomesReady(postmaster, options.cluster)) return postmaster
    }
    await sleep(RETRY_MS)
  }
  if (!isWanted()) throw new Error('the embedded PostgreSQL was stopped while it started')
  throw new Error(
    `another process is using the database in ${options.place.folder}: stop the other Posthouse, ` +
      'or give this one another POSTHOUSE_DATA_DIR',
  )
}

/** False when an earlier server still has the data, or seems to. */
async function becomesReady(postmaster: Postmaster, cluster: string): Promise<boolean> {
  const ending = await postmaster.ready()
  if (ending === null) return true
  const isTaken = ending.lines.some((line) =>
    /lock file ".*" already exists|pre-existing shared memory block/.test(line),
  )
  if (!isTaken) throw new Error(`PostgreSQL did not start: ${reasonOf(ending)}`)
  await removeForeignLock(cluster)
  return false
}

/**
 * In a container numbers of processes repeat: after a crash the lock file may name a process (or a thread)
 * that is not PostgreSQL at all, and PostgreSQL only asks whether it exists.
 */
async function removeForeignLock(cluster: string): Promise<void> {
  const file = await readPidFile(cluster)
  if (file === null || process.platform !== 'linux') return
  const workingFolder = await readlink(`/proc/${file.pid}/cwd`).catch(() => null)
  // A server always works in the folder of its data.
  if (workingFolder === null || workingFolder === cluster) return
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}

/** When only the supervisor was killed, its server lives on unwatched. */
async function stopOrphan(pid: number, cluster: string): Promise<void> {
  const file = await readPidFile(cluster)
  if (file?.pid === pid) signal(pid, 'SIGINT')
}

async function probe(socketFolder: string): Promise<'absent' | 'busy' | 'answers'> {
  const client = new pg.Client({
    ...connectionTo(socketFolder, 'postgres'),
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return 'answers'
  } catch (error) {
    // 57P03: it is starting up or shutting down.
    return (error as { code?: string }).code === '57P03' ? 'busy' : 'absent'
  }
}

async function createDatabase(socketFolder: string): Promise<void> {
  const client = new pg.Client(connectionTo(socketFolder, 'postgres'))
  client.on('error', () => {})
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [
      DATABASE_NAME,
    ])
    if (found.rows.length === 0) await client.query(`create database ${DATABASE_NAME}`)
  } finally {
    await client.end()
  }
}

function connectionTo(socketFolder: string, database: string): pg.PoolConfig {
  return { host: socketFolder, port: 5432, user: DATABASE_NAME, database, ssl: false }
}

function reasonOf(ending: Ending): string {
  return ending.lines.at(-1) ?? `exit code ${ending.code}`
}
