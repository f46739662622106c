import pg from 'pg'

/** The five-character code of an error that PostgreSQL answered with; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/**
 * Connection lost, out of time, deadlock, out of disk or memory, read-only, shutting down: the state of the
 * server, not a fault of the statement.
 */
const STATES_OF_THE_SERVER = new Set(['08', '25', '40', '53', '55', '57', '58'])

/** Whether the database cannot be used now, so that the same may work in a moment. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== undefined) return STATES_OF_THE_SERVER.has(state.slice(0, 2))
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return true
  // The driver has no codes for these.
  return /connection|timeout|queryable|rolled back/i.test(error.message)
}
