import { MAX_NAME_LENGTH } from '#customers'
import {
  type Authentication,
  type Endpoint,
  findKey,
  nearest,
  type Operation,
  type ProjectRegistry,
} from '#projects'
import { type Answer, protocolError, tooManyRequests } from './answers.ts'
import { answerNotation, type Notation, notationOf } from './notation.ts'
import { type Allowance, callerOf, type RateLimiter } from './rate-limit.ts'
import { MAX_BODY_BYTES } from './read-body.ts'

/** A caller who may send an operation, before the body is read. */
export interface Admission {
  mode: 'sync' | 'async'
  endpoint: Endpoint
  operation: Operation
  hasKey: boolean
  notation: Notation
  answerNotation: Notation
}

export type AdmitOutcome =
  | { kind: 'admitted'; admission: Admission; allowance: Allowance }
  | Refused

interface Refused {
  kind: 'refused'
  answer: Answer
  /** Where the count had been taken by then. */
  allowance?: Allowance
}

/** Apart, so that a crowd of addresses cannot crowd out the counts of the operations. */
export interface Limiters {
  operations: RateLimiter
  callers: RateLimiter
}

export interface Call {
  mode: string
  query: Record<string, unknown>
  headers: Record<string, string | string[] | undefined>
  /** The caller's address. */
  address: string
  nowMs: number
}

/** The checks that need no body, in the order the interface promises. */
export function admit(
  call: Call,
  parts: { registry: ProjectRegistry; limiters: Limiters; isRateLimited: boolean },
): AdmitOutcome {
  const { mode, query, headers } = call
  if (mode !== 'sync' && mode !== 'async') {
    return refused(protocolError(404, 'the mode is sync or async: /v3/operations/sync'))
  }
  const endpoint = parts.registry.endpoint(textOf(query.endpointId))
  if (endpoint === undefined) return refused(unknownEndpoint(query.endpointId))
  const { project } = endpoint
  const operation = project.operations.get(textOf(query.operation))
  if (operation === undefined) {
    return refused(unknownOperation(query.operation, namesFor(endpoint, headers.authorization)))
  }
  const { name, authentication } = operation.definition
  if (!endpoint.mayCall(name)) {
    return refused(protocolError(403, `this endpoint may not call the operation ${name}`))
  }
  const key = checkKey(endpoint, authentication, headers.authorization)
  if (key.kind === 'refused') return key
  const allowance = parts.isRateLimited ? limit(call, endpoint, operation, key.hasKey, parts) : FREE
  if (!allowance.isAllowed) {
    const message = `more than ${allowance.limit} calls of ${name} in a minute`
    return refused(tooManyRequests(message, allowance.resetS), allowance)
  }
  const notation = notationOf(textOf(headers['content-type']))
  if (notation === undefined || isEncoded(headers['content-encoding'])) {
    const message = 'the body must be application/xml or application/json, in UTF-8, not compressed'
    return refused(protocolError(415, message), allowance)
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    return refused(tooLarge(), allowance)
  }
  const wanted = answerNotation(textOf(headers.accept) || undefined, notation)
  const admission = { mode, endpoint, operation, hasKey: key.hasKey, notation } as const
  return { kind: 'admitted', admission: { ...admission, answerNotation: wanted }, allowance }
}

/** A key that is sent must be right, even where none is needed. */
export function checkKey(
  endpoint: Endpoint,
  authentication: Authentication,
  header: string | string[] | undefined,
): { kind: 'checked'; hasKey: boolean } | Refused {
  const presented = presentedKey(header)
  if (presented === undefined) {
    if (authentication !== 'secretKey') return { kind: 'checked', hasKey: false }
    return refused(protocolError(401, 'send the header Authorization: SecretKey <key>'))
  }
  if (findKey(endpoint, presented) !== undefined) return { kind: 'checked', hasKey: true }
  return refused(protocolError(403, `the secret key is not one of the endpoint ${endpoint.id}`))
}

/** Whatever stands behind the scheme was meant as a key, also when it has the wrong shape. */
function presentedKey(header: string | string[] | undefined): string | undefined {
  const text = textOf(header).trim()
  return /^SecretKey(\s|$)/i.test(text) ? text.slice('SecretKey'.length).trim() : undefined
}

export function unknownEndpoint(endpointId: unknown): Answer {
  const sent = textOf(endpointId)
  if (sent === '') return protocolError(401, 'the query needs one endpointId=<project>.<endpoint>')
  return protocolError(401, 'unknown endpointId; it is written <project>.<endpoint>')
}

export function tooLarge(): Answer {
  return protocolError(413, `the body is larger than ${MAX_BODY_BYTES} bytes`)
}

const FREE: Allowance = { isAllowed: true, limit: 0, remaining: 0, resetS: 0 }

/**
 * Calls with a key have an allowance of their own. Without one, each address has its share of another,
 * so that a stranger who knows a public endpointId can use up neither.
 */
function limit(
  call: Call,
  endpoint: Endpoint,
  operation: Operation,
  hasKey: boolean,
  { limiters }: { limiters: Limiters },
): Allowance {
  const { name, rateLimitPerMinute, rateLimitPerAddressPerMinute } = operation.definition
  const key = `${endpoint.id} ${name}`
  if (hasKey) return limiters.operations.take(key, rateLimitPerMinute, call.nowMs)
  const own = limiters.callers.take(
    `${key} ${callerOf(call.address)}`,
    Math.min(rateLimitPerAddressPerMinute, rateLimitPerMinute),
    call.nowMs,
  )
  if (!own.isAllowed) return own
  const all = limiters.operations.take(`${key} *`, rateLimitPerMinute, call.nowMs)
  return all.remaining < own.remaining || !all.isAllowed ? all : own
}

/** The names of a project's operations are for those who have a key. */
function namesFor(endpoint: Endpoint, header: string | string[] | undefined): string[] {
  const isKnown = findKey(endpoint, presentedKey(header) ?? '') !== undefined
  return isKnown ? [...endpoint.project.operations.keys()] : []
}

function unknownOperation(sent: unknown, known: string[]): Answer {
  const name = textOf(sent)
  if (name === '') return protocolError(400, 'the query needs one operation=<name>')
  const near = nearest(name.slice(0, MAX_NAME_LENGTH), known)
  return protocolError(400, `unknown operation${near ? `; did you mean ${near}?` : ''}`)
}

function isEncoded(encoding: string | string[] | undefined): boolean {
  return encoding !== undefined && encoding !== 'identity'
}

/** A parameter or header sent twice counts as not sent. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function refused(answer: Answer, allowance?: Allowance): Refused {
  return allowance === undefined
    ? { kind: 'refused', answer }
    : { kind: 'refused', answer, allowance }
}
