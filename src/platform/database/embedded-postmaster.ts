import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnAs } from './embedded-account.ts'
import type { Place } from './embedded-place.ts'
import type { Program } from './embedded-program.ts'

export interface PostmasterOptions {
  place: Place
  program: Program
  cluster: string
  socketFolder: string
  settings: Record<string, string>
  log: (line: string) => void
}

/** How one run of the server ended, with the last lines it wrote. */
export interface Ending {
  code: number | null
  lines: string[]
}

/**
 * Runs the server and reads a pipe that this program holds open. When the pipe ends, because we closed it
 * or were killed, the server shuts down in an orderly way. Signals that a terminal or an init system
 * sends to everybody are left to us.
 */
const SUPERVISOR = `trap '' TERM INT HUP; exec 3<&0
"$@" 3<&- & server=$!; echo $server
{ read -r _ <&3; kill -INT $server; } 2>/dev/null & watch=$!
wait $server; code=$?; exec 2>/dev/null; kill -KILL $watch; wait $watch; exit $code`

const STOP_FAST_TIMEOUT_MS = 5_000
const STOP_AT_ONCE_TIMEOUT_MS = 5_000
/** After a crash the log of up to 4 GB is replayed first. */
const START_TIMEOUT_MS = 600_000
const POLL_MS = 20
const KEPT_LINES = 40
const SMALL_MACHINE_BYTES = 2 * 1024 ** 3

/** One run of the server process. */
export class Postmaster {
  readonly ended: Promise<Ending>
  pid = 0
  readonly #options: PostmasterOptions
  readonly #supervisor: ChildProcess
  readonly #lines: string[] = []
  #hasEnded = false
  #isHeard = false

  constructor(options: PostmasterOptions) {
    this.#options = options
    const server = [options.program.postgres, ...serverArguments(options)]
    this.#supervisor = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', ...server], {
      ...spawnAs(options.place.account),
      stdio: ['pipe', 'pipe', 'pipe'],
      // In a session of its own Ctrl-C reaches only us, and we decide when the server stops.
      detached: true,
    })
    this.ended = this.#watch()
  }

  /** Resolves to null when the server accepts connections, or to how it ended instead. */
  async ready(): Promise<Ending | null> {
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!this.#hasEnded) {
      if (await this.#reportsReady()) {
        // What was written before is worth reading only when the start failed.
        this.#isHeard = true
        this.#lines.length = 0
        return null
      }
      if (Date.now() > deadline) {
        await this.stop()
        throw new Error(`PostgreSQL was not ready after ${START_TIMEOUT_MS / 1000} s`)
      }
      await sleep(POLL_MS)
    }
    return this.ended
  }

  /** Ends connections and writes a checkpoint; when that takes too long, the next start recovers. */
  async stop(): Promise<void> {
    // Nobody needs to read how an orderly end goes.
    this.#isHeard = false
    this.#supervisor.stdin?.end()
    if (await this.#endsWithin(STOP_FAST_TIMEOUT_MS)) return
    this.#options.log(
      'PostgreSQL is slow to stop and is stopped at once; its log is replayed later',
    )
    signal(this.pid, 'SIGQUIT')
    if (await this.#endsWithin(STOP_AT_ONCE_TIMEOUT_MS)) return
    signal(this.pid, 'SIGKILL')
    await this.#endsWithin(STOP_AT_ONCE_TIMEOUT_MS)
  }

  #watch(): Promise<Ending> {
    const { stdin, stdout, stderr } = this.#supervisor
    stdin?.on('error', () => {})
    if (stdout) {
      createInterface({ input: stdout }).once('line', (line) => {
        this.pid = Number(line)
      })
    }
    if (stderr) createInterface({ input: stderr }).on('line', (line) => this.#hear(line))
    return new Promise((resolve) => {
      const end = (code: number | null) => {
        this.#hasEnded = true
        resolve({ code, lines: this.#lines })
      }
      this.#supervisor.once('error', (error) => {
        this.#hear(error.message)
        end(null)
      })
      // Not 'close': backends that outlive a killed server keep its standard error open.
      this.#supervisor.once('exit', (code) => setImmediate(end, code))
    })
  }

  #hear(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > KEPT_LINES) this.#lines.shift()
    if (this.#isHeard) this.#options.log(line)
  }

  async #reportsReady(): Promise<boolean> {
    const file = await readPidFile(this.#options.cluster)
    return file !== null && this.pid !== 0 && file.pid === this.pid && file.status === 'ready'
  }

  #endsWithin(timeoutMs: number): Promise<boolean> {
    const late = new AbortController()
    const timeout = sleep(timeoutMs, false, { signal: late.signal }).catch(() => false)
    return Promise.race([this.ended.then(() => true), timeout]).finally(() => late.abort())
  }
}

/** The server's own lock file: the process on the first line, its state on the eighth. */
export async function readPidFile(
  cluster: string,
): Promise<{ pid: number; status: string | undefined } | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => null)
  if (text === null) return null
  const lines = text.split('\n')
  return { pid: Math.abs(Number(lines[0])), status: lines[7]?.trim() }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  if (pid === 0) return
  try {
    process.kill(pid, name)
  } catch {
    // It has just ended, which is what was wanted.
  }
}

function serverArguments(options: PostmasterOptions): string[] {
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: `"${options.socketFolder}"`,
    unix_socket_permissions: '0700',
    port: '5432',
    max_connections: '100',
    shared_buffers: memoryBytes < SMALL_MACHINE_BYTES ? '128MB' : '256MB',
    wal_buffers: '16MB',
    // These binaries are built without lz4 and zstd.
    wal_compression: 'pglz',
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    synchronous_commit: 'on',
    fsync: 'on',
    // Our statements are short; compiling them takes longer than running them.
    jit: 'off',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_min_messages: 'warning',
    // Statements and the details of errors carry customers' data, which does not belong in a log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_line_prefix: '',
    ...options.settings,
  }
  const pairs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', options.cluster, ...pairs]
}
