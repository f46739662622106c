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
  /** How long to wait for the answer, where the usual minute is too short. */
  timeoutMs?: number
}

/** A transaction whose end can be sent together with its last statements. */
export interface Transaction extends Sql {
  /**
   * Sends `commit` behind the statements under way and waits for all of them. Resolves only when the
   * commit is durable.
   */
  commitWith(statements: Promise<unknown>[]): Promise<void>
}

export function asQuery(statement: Statement): pg.QueryConfig {
  const { timeoutMs, ...query } = statement
  return timeoutMs === undefined
    ? query
    : ({ ...query, query_timeout: timeoutMs } as pg.QueryConfig)
}

/**
 * Whether the connection's prepared statements no longer fit the schema: another version of the program
 * has changed it. A new connection prepares them anew.
 */
export function isStale(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '0A000' || error.code === '26000')
}

/** Whether the server refused a statement and the connection goes on as if nothing had happened. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
