export {
  eraseHistory,
  type HistoryRow,
  historyWrite,
  prepareHistory,
  readNow,
  recordHistory,
} from './history-store.ts'
export { after, type Instant, isoOf } from './instant.ts'
export { MailingIds } from './mailing-ids.ts'
export { recordDefinition } from './record-definition.ts'
export { RecordIds } from './record-ids.ts'
