import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'

/** What the operator decides. Read once, here; nothing else looks at the environment. */
export interface Config {
  /** A PostgreSQL server; undefined: one of our own in the data directory. */
  databaseUrl: string | undefined
  dataDir: string
  /** Base64 of 32 bytes; undefined: a file in the data directory. */
  masterKey: string | undefined
  host: string
  port: number
  /** The address callers use, where it is not the one we listen on. */
  baseUrl: string | undefined
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  trustProxy: string | boolean
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  isRateLimited: boolean
  transactionDays: number
}

const emptyIsAbsent = (value: unknown) => (value === '' ? undefined : value)
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(emptyIsAbsent, schema.optional())

const Environment = z.object({
  POSTHOUSE_DATABASE_URL: optional(
    z.string().regex(/^postgres(ql)?:/, 'must start with postgres:// or postgresql://'),
  ),
  POSTHOUSE_DATA_DIR: optional(z.string()),
  POSTHOUSE_MASTER_KEY: optional(z.string()),
  POSTHOUSE_HOST: optional(z.string()),
  POSTHOUSE_PORT: optional(z.coerce.number().int().min(0).max(65535)),
  POSTHOUSE_BASE_URL: optional(z.url()),
  POSTHOUSE_TRUST_PROXY: optional(
    z
      .string()
      .refine(isTrustedList, 'must be true, false or addresses such as 10.0.0.0/8, loopback'),
  ),
  POSTHOUSE_LOG_LEVEL: optional(z.enum(['debug', 'info', 'warn', 'error', 'silent'])),
  POSTHOUSE_RATE_LIMITS: optional(z.enum(['on', 'off'])),
  POSTHOUSE_TRANSACTION_DAYS: optional(z.coerce.number().int().min(1).max(36_500)),
})

export type ConfigOutcome = { kind: 'read'; config: Config } | { kind: 'wrong'; problems: string[] }

export function readConfig(environment: NodeJS.ProcessEnv = process.env): ConfigOutcome {
  const parsed = Environment.safeParse(environment)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    return { kind: 'wrong', problems }
  }
  const values = parsed.data
  return {
    kind: 'read',
    config: {
      databaseUrl: values.POSTHOUSE_DATABASE_URL,
      dataDir: resolve(values.POSTHOUSE_DATA_DIR ?? 'posthouse-data'),
      masterKey: values.POSTHOUSE_MASTER_KEY,
      host: values.POSTHOUSE_HOST ?? '127.0.0.1',
      port: values.POSTHOUSE_PORT ?? 8080,
      baseUrl: values.POSTHOUSE_BASE_URL?.replace(/\/+$/, ''),
      trustProxy: trustProxyOf(values.POSTHOUSE_TRUST_PROXY),
      logLevel: values.POSTHOUSE_LOG_LEVEL ?? 'info',
      isRateLimited: values.POSTHOUSE_RATE_LIMITS !== 'off',
      transactionDays: values.POSTHOUSE_TRANSACTION_DAYS ?? 400,
    },
  }
}

/** Addresses in a list with commas, or `true` for whoever asks. */
function trustProxyOf(text: string | undefined): string | boolean {
  return text === undefined || text === 'false' ? false : text === 'true' || text
}

const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal'])

function isTrustedList(text: string): boolean {
  if (text === 'true' || text === 'false') return true
  return text.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/')
    if (NAMED_NETWORKS.has(address)) return bits === undefined
    const size = isIP(address) === 4 ? 32 : 128
    const isNetwork = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= size)
    return isIP(address) !== 0 && isNetwork && rest.length === 0
  })
}
