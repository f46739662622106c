export { createLog, type Log, type LogFields, type LogLevel, type LogOptions } from './log.ts'
