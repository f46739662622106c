import pg from 'pg'
import { asQuery, isRefusal, isStale, type Statement, type Transaction } from './sql.ts'

/** The outcome of a commit could not be learnt: it may or may not have happened. */
export class UnknownCommit extends Error {
  override name = 'UnknownCommit'
}

/** A transaction on a connection that nobody else uses until it has ended. */
export class OpenTransaction implements Transaction {
  isEnded = false
  readonly #client: pg.PoolClient
  /** The first statement that failed: what the caller wants to hear about, not its echoes. */
  #fault: Error | undefined
  #broken: Error | undefined

  constructor(client: pg.PoolClient) {
    this.#client = client
    client.on('error', this.#lose)
    void this.#sendStep({ text: 'begin' })
  }

  query<Row extends object>(statement: Statement): Promise<Row[]> {
    const rows = this.#rowsOf<Row>(statement)
    // Of several statements under way a caller sees one fail; the others must not end the process.
    rows.catch(ignore)
    return rows
  }

  async commitWith(statements: Promise<unknown>[]): Promise<void> {
    if (this.isEnded) throw new Error('the transaction has already ended')
    this.isEnded = true
    const settled = Promise.allSettled(statements)
    await this.#refuseUnsent(settled)
    const [commit] = await Promise.allSettled([this.#send({ text: 'commit' })])
    const outcomes = await settled
    if (commit.status === 'rejected') throw this.#commitFault(commit.reason)
    // PostgreSQL answers ROLLBACK to the commit of a failed transaction, without an error.
    if (commit.value.command !== 'COMMIT') throw this.#fault ?? new Error('rolled back')
    const unread = outcomes.find((outcome) => outcome.status === 'rejected')
    if (unread !== undefined)
      throw unknownCommit('committed, but an answer is unusable', unread.reason)
  }

  /** Rolls back what is still open. Resolves to the reason why the connection cannot be used again. */
  async abandon(): Promise<Error | undefined> {
    if (!this.isEnded) {
      this.isEnded = true
      await this.#send({ text: 'rollback' }).catch(ignore)
    }
    this.#client.off('error', this.#lose)
    return this.#broken
  }

  async #rowsOf<Row extends object>(statement: Statement): Promise<Row[]> {
    if (this.isEnded) throw new Error('the transaction has already ended')
    try {
      const result = await this.#sendStep<Row>(statement)
      return result.rows
    } catch (error) {
      // The driver's own stack ends at the socket; this one leads to the caller.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  /**
   * A statement that this program could not send (a value that cannot be written, a name used twice)
   * is unknown to the server, which would commit the others without it.
   */
  async #refuseUnsent(settled: Promise<unknown>): Promise<void> {
    // The driver reports some of them one tick after the call.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    if (this.#fault === undefined || this.#fault instanceof pg.DatabaseError) return
    this.isEnded = false
    await this.abandon()
    await settled
    throw this.#fault
  }

  /** The connection ended while no statement was under way to hear of it. */
  readonly #lose = (error: Error): void => {
    this.#broken ??= error
    if (!this.isEnded) this.#fault ??= error
  }

  #commitFault(reason: unknown): unknown {
    // The server refused an earlier statement, so it cannot have committed.
    if (this.#fault instanceof pg.DatabaseError) return this.#fault
    // A refusal is an answer. A fatal error is none: it can overtake the answer of a finished commit.
    if (isRefusal(reason)) return reason
    return unknownCommit('the connection was lost around the commit', reason)
  }

  #sendStep<Row extends object>(statement: Statement): Promise<pg.QueryResult<Row>> {
    return this.#send<Row>(statement, (error) => {
      if (this.#fault !== undefined && error.cause === undefined) error.cause = this.#fault
      this.#fault ??= error
    })
  }

  /** The callback form, because a promise would report a failed statement after the commit is sent. */
  #send<Row extends object>(
    statement: Statement,
    onFault?: (error: Error) => void,
  ): Promise<pg.QueryResult<Row>> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult<Row>>()
    promise.catch(ignore)
    void this.#client.query<Row>(asQuery(statement), (error, result) => {
      if (!error) return resolve(result)
      if (!isRefusal(error) || isStale(error)) this.#broken ??= error
      onFault?.(error)
      return reject(error)
    })
    return promise
  }
}

export function unknownCommit(message: string, cause: unknown): UnknownCommit {
  return new UnknownCommit(message, { cause })
}

function ignore(): void {}
