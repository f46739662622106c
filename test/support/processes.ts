import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './temporary-folder.ts'

export interface ServiceOptions {
  databaseUrl: string
  /** Any free port unless told. */
  port?: number
  env?: Record<string, string>
  /** Behind `start --port N`. */
  args?: string[]
}

/** The real program as a process of its own. */
export interface RunningService extends AsyncDisposable {
  baseUrl: string
  pid: number
  /** What it has written so far, standard output and standard error together, its end at least. */
  output(): string
  kill(signal: NodeJS.Signals): Promise<void>
  /** Asks it to stop and waits for that; rejects when it ends with an error. */
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** The same for all, so that a service started again on a database can open its secrets. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const READY = /^Posthouse is ready on (http:\/\/\S+)$/m
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 20_000
const OUTPUT_LIMIT = 200_000

export async function startService(options: ServiceOptions): Promise<RunningService> {
  const dataDir = await temporaryFolder()
  const args = [MAIN, 'start', '--port', String(options.port ?? 0), ...(options.args ?? [])]
  const child = spawn(process.execPath, args, {
    env: serviceEnvironment(options, dataDir.path),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const service = new ServiceProcess(child, dataDir)
  try {
    await service.ready()
    return service
  } catch (error) {
    await service[Symbol.asyncDispose]()
    throw error
  }
}

class ServiceProcess implements RunningService {
  baseUrl = ''
  readonly pid: number
  readonly #child: ChildProcess
  readonly #dataDir: AsyncDisposable
  readonly #exited: Promise<unknown>
  #output = ''

  constructor(child: ChildProcess, dataDir: AsyncDisposable) {
    this.#child = child
    this.#dataDir = dataDir
    this.pid = child.pid ?? 0
    this.#exited = once(child, 'exit')
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-OUTPUT_LIMIT)
      })
    }
  }

  output(): string {
    return this.#output
  }

  async ready(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const look = () => {
      const url = READY.exec(this.#output)?.[1]
      if (url !== undefined) resolve(url)
    }
    this.#child.stdout?.on('data', look)
    this.#child.once('exit', (code, signal) => reject(this.#fault(`ended (${signal ?? code})`)))
    const late = () => reject(this.#fault(`was not ready after ${START_TIMEOUT_MS} ms`))
    const timer = setTimeout(late, START_TIMEOUT_MS)
    try {
      this.baseUrl = await promise
    } finally {
      clearTimeout(timer)
      this.#child.stdout?.off('data', look)
    }
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.#hasExited()) return
    this.#child.kill(signal)
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.#exited
    clearTimeout(timer)
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM')
    const { exitCode, signalCode } = this.#child
    if (exitCode !== 0) throw this.#fault(`did not stop in order (${signalCode ?? exitCode})`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM')
    await this.#dataDir[Symbol.asyncDispose]()
  }

  #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  #fault(what: string): Error {
    return new Error(`the service ${what}. It wrote:\n${this.#output}`)
  }
}

function serviceEnvironment(options: ServiceOptions, dataDir: string): NodeJS.ProcessEnv {
  // The test runner marks its children with NODE_TEST_CONTEXT, and the service is not one of them.
  const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  return {
    ...inherited,
    POSTHOUSE_DATABASE_URL: options.databaseUrl,
    POSTHOUSE_DATA_DIR: dataDir,
    POSTHOUSE_MASTER_KEY: MASTER_KEY,
    ...options.env,
  }
}
