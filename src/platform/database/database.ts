import pg from 'pg'
import { OpenTransaction, unknownCommit } from './open-transaction.ts'
import { asQuery, isRefusal, isStale, type Sql, type Statement, type Transaction } from './sql.ts'

export interface DatabaseOptions {
  /** A connection string, or the folder of a Unix socket with user and database. */
  connection: pg.PoolConfig
  maxConnections: number
  onIdleError: (error: Error) => void
}

const CONNECT_TIMEOUT_MS = 5_000
/** Longer than any honest transaction of ours, so that the daily cut never waits for a forgotten one. */
const TRANSACTION_TIMEOUT_MS = 60_000
/** The server gives up first; this one is for a server that vanished without closing the connection. */
const ANSWER_TIMEOUT_MS = TRANSACTION_TIMEOUT_MS + 10_000

/**
 * Our statements take arrays and find rows by key, so one plan serves every call. Plans are made while
 * tables are still empty and kept: without the last setting a first batch of 250 customers took 20 ms
 * to find instead of 1, by reading the whole table.
 */
const SESSION_SETTINGS = [
  `-c transaction_timeout=${TRANSACTION_TIMEOUT_MS}`,
  '-c timezone=UTC',
  // What we promise must not depend on how somebody set up the server or the role.
  '-c synchronous_commit=on',
  '-c default_transaction_isolation=read\\ committed',
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_seqscan=off',
].join(' ')

/** There was no connection to send anything over. */
export class NotConnected extends Error {
  override name = 'NotConnected'
}

export class Database implements Sql, AsyncDisposable {
  readonly #pool: pg.Pool

  constructor(options: DatabaseOptions) {
    this.#pool = new pg.Pool({
      ...options.connection,
      max: options.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      fallback_application_name: 'posthouse',
      options: SESSION_SETTINGS,
      pipeline: true,
    } as pg.PoolConfig)
    this.#pool.on('error', options.onIdleError)
  }

  /** Not `pool.query`, which closes the connection after any refused statement. */
  async query<Row extends object>(statement: Statement): Promise<Row[]> {
    const client = await this.#checkOut()
    let broken: Error | undefined
    try {
      const result = await client.query<Row>(asQuery(statement))
      return result.rows
    } catch (error) {
      if (!isRefusal(error) || isStale(error)) broken = error as Error
      throw error
    } finally {
      checkIn(client, broken)
    }
  }

  /** Runs one statement that is a transaction of its own. Resolves only when it is durable. */
  async commit<Row extends object>(statement: Statement): Promise<Row[]> {
    try {
      return await this.query<Row>(statement)
    } catch (error) {
      // A connection that could not be had has sent nothing; one that was lost may have.
      if (isRefusal(error) || error instanceof NotConnected) throw error
      throw unknownCommit('the connection was lost around the commit', error)
    }
  }

  /**
   * Runs `work` in one READ COMMITTED transaction. It commits when `work` returns without having done
   * so itself, and rolls back when `work` throws.
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#checkOut()
    const open = new OpenTransaction(client)
    try {
      const result = await work(open)
      if (!open.isEnded) await open.commitWith([])
      return result
    } finally {
      checkIn(client, await open.abandon())
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }

  async #checkOut(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect().catch((cause: Error) => {
      throw new NotConnected(`no connection to the database: ${cause.message}`, { cause })
    })
    // The pool listens only to idle connections; without a listener a lost one would end the process.
    client.on('error', ignore)
    return client
  }
}

function checkIn(client: pg.PoolClient, broken: Error | undefined): void {
  client.off('error', ignore)
  client.release(broken)
}

function ignore(): void {}
