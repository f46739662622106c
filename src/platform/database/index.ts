export { jsonLines, plainArray, textArray } from './arrays.ts'
export { Database, type DatabaseOptions } from './database.ts'
export {
  type EmbeddedDatabase,
  type EmbeddedOptions,
  findEmbedded,
  startEmbedded,
} from './embedded.ts'
export { migrate } from './migrate.ts'
export { UnknownCommit } from './open-transaction.ts'
export type { Sql, Statement, Transaction } from './sql.ts'
export { isUnavailable, sqlStateOf } from './sql-state.ts'
export { combine, type Write } from './write.ts'
