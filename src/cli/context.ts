import type { Database } from '#platform/database'

/** What a command works with. */
export interface CliContext {
  database: Database
  masterKey: Buffer
  out: (line: string) => void
  err: (line: string) => void
}
