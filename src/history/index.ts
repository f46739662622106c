export { readMailingIds } from './definition-store.ts'
export {
  eraseHistory,
  type HistoryRow,
  prepareHistory,
  readNow,
  recordHistory,
} from './history-store.ts'
export { after, type Instant, isoOf } from './instant.ts'
export { recordDefinition } from './record-definition.ts'
export { RecordIds } from './record-ids.ts'
