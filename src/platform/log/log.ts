import pino from 'pino'
import { errorFields } from './error-fields.ts'
import { prettyLine } from './pretty-line.ts'

export type LogFields = Record<string, unknown>
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What happened, for the operator. An error goes into the field `error`. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export interface LogOptions {
  level: LogLevel | 'silent'
  /** One readable line for a person at a terminal instead of JSON. */
  pretty: boolean
}

/** Writes to standard error; standard output belongs to people. */
export function createLog(options: LogOptions): Log {
  // Written at once: the line before a crash is the one that matters.
  const stderr = pino.destination({ dest: 2, sync: true })
  return logTo(options, (line) => stderr.write(line))
}

export function logTo(options: LogOptions, write: (line: string) => void): Log {
  const settings: pino.LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    messageKey: 'message',
    serializers: { error: errorFields },
  }
  return pino(settings, {
    write: (line) => write(options.pretty ? prettyLine(line) : line),
  })
}
