import pg from 'pg'

/** Something SQL can be sent to: the pool, or one transaction. */
export interface Sql {
  /**
   * Sends one statement. Inside a transaction, statements that are sent without waiting for each
   * other share a round trip. A `name` makes it a prepared statement.
   */
  query<Row extends object>(statement: Statement): Promise<Row[]>
}

export interface Statement {
  text: string
  values?: unknown[]
  name?: string
}

/** A transaction whose end can be sent together with its last statements. */
export interface Transaction extends Sql {
  /**
   * Sends `commit` behind the statements under way and waits for all of them. Resolves only when the
   * commit is durable.
   */
  commitWith(statements: Promise<unknown>[]): Promise<void>
}

export interface DatabaseOptions {
  /** A connection string, or the folder of a Unix socket with user and database. */
  connection: pg.PoolConfig
  maxConnections: number
  onIdleError: (error: Error) => void
}

/** The outcome of a commit could not be learnt: it may or may not have happened. */
export class UnknownCommit extends Error {
  override name = 'UnknownCommit'
}

const CONNECT_TIMEOUT_MS = 5_000
/** Longer than any honest transaction of ours, so that the daily cut never waits for a forgotten one. */
const TRANSACTION_TIMEOUT_MS = 60_000

export class Database implements Sql, AsyncDisposable {
  readonly #pool: pg.Pool

  constructor(options: DatabaseOptions) {
    this.#pool = new pg.Pool({
      ...options.connection,
      max: options.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      options: `-c transaction_timeout=${TRANSACTION_TIMEOUT_MS} -c timezone=UTC`,
      pipeline: true,
    } as pg.PoolConfig)
    this.#pool.on('error', options.onIdleError)
  }

  async query<Row extends object>(statement: Statement): Promise<Row[]> {
    const result = await this.#pool.query<Row>(statement)
    return result.rows
  }

  /**
   * Runs `work` in one READ COMMITTED transaction. It commits when `work` returns without having done
   * so itself, and rolls back when `work` throws.
   */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    const open = new OpenTransaction(client)
    try {
      const result = await work(open)
      if (!open.isEnded) await open.commitWith([])
      client.release()
      return result
    } catch (error) {
      await open.abandon()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }
}

class OpenTransaction implements Transaction {
  isEnded = false
  readonly #client: pg.PoolClient
  readonly #begun: Promise<unknown>

  constructor(client: pg.PoolClient) {
    this.#client = client
    // The id is taken before anything is read: see docs/architecture.md, "The exact cut".
    this.#begun = client.query('begin; select pg_current_xact_id()')
    this.#begun.catch(() => {})
  }

  async query<Row extends object>(statement: Statement): Promise<Row[]> {
    const [, result] = await Promise.all([this.#begun, this.#client.query<Row>(statement)])
    return result.rows
  }

  async commitWith(statements: Promise<unknown>[]): Promise<void> {
    this.isEnded = true
    const committed = this.#client.query('commit')
    const outcomes = await Promise.allSettled([this.#begun, ...statements, committed])
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw asCommitFault(failed.reason, outcomes.at(-1))
    // PostgreSQL answers ROLLBACK to the commit of a failed transaction, without an error.
    if ((await committed).command !== 'COMMIT') throw new Error('the transaction was rolled back')
  }

  /** Gives the connection back clean, or throws it away. */
  async abandon(): Promise<void> {
    try {
      if (!this.isEnded) await this.#client.query('rollback')
      this.#client.release()
    } catch (error) {
      this.#client.release(error as Error)
    }
  }
}

function asCommitFault(
  reason: unknown,
  commit: PromiseSettledResult<unknown> | undefined,
): unknown {
  const isAnswered = commit?.status === 'fulfilled' || reason instanceof pg.DatabaseError
  if (isAnswered) return reason
  return new UnknownCommit('the connection was lost around the commit', { cause: reason })
}
