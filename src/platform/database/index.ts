export {
  Database,
  type DatabaseOptions,
  type Sql,
  type Statement,
  type Transaction,
  UnknownCommit,
} from './database.ts'
