import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reportTransaction } from '#operations'
import { type Database, isUnavailable, UnknownCommit } from '#platform/database'
import type { Log } from '#platform/log'
import type { ProjectRegistry } from '#projects'
import { type Admission, admit, checkKey, tooLarge, unknownEndpoint } from './admit.ts'
import { type Answer, internalError, protocolError, transaction, unavailable } from './answers.ts'
import { BodyBudget } from './body-budget.ts'
import { answerNotation, CONTENT_TYPES, type Notation, notationOf, write } from './notation.ts'
import { type CallParts, performCall } from './perform-call.ts'
import { type Allowance, RateLimiter } from './rate-limit.ts'
import { readBody, type SentBody } from './read-body.ts'
import { isTransactionId } from './read-query.ts'
import { RefusalLog } from './refusal-log.ts'
import { openApi } from './schema/openapi.ts'
import { OPERATIONS_XSD } from './schema/operations-xsd.ts'

export interface ApiParts extends CallParts {
  registry: ProjectRegistry
  database: Database
  log: Log
  baseUrl: () => string
  isRateLimited: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | null
    /** Of the body; given back when the answer is out or the caller is gone. */
    heldBytes: number
  }
}

type Query = Record<string, unknown>
/** Where callers' errors are written. */
interface Told {
  log: Log
  refusals: RefusalLog
}
/** Longer ones are somebody's who tries to fill the log. */
const MAX_LOGGED_PATH = 200
type Fault = Error & { code?: string; statusCode?: number }

const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept, idempotency-key, authorization',
  'access-control-max-age': '86400',
}

/** The operations interface: `/v3/...`. */
export function addOperationsApi(server: FastifyInstance, parts: ApiParts): void {
  void server.register(async (scope) => {
    const limiters = { operations: new RateLimiter(), callers: new RateLimiter() }
    const admission = { ...parts, limiters }
    const told = { log: parts.log, refusals: new RefusalLog(parts.log) }
    const budget = new BodyBudget()
    const hold = (request: FastifyRequest, sizeBytes: number) => {
      if (!budget.take(sizeBytes)) return false
      request.heldBytes += sizeBytes
      return true
    }
    scope.decorateRequest('admission', null)
    scope.decorateRequest('heldBytes', 0)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request, payload, next) =>
      readBody(payload, (sizeBytes) => hold(request, sizeBytes), next),
    )
    scope.setErrorHandler<Fault>((fault, _, reply) => sendFault(fault, reply, told))

    scope.route<{ Params: { mode: string }; Querystring: Query }>({
      method: 'POST',
      url: '/v3/operations/:mode',
      onRequest: (request, reply, next) => {
        const outcome = admit(
          {
            mode: request.params.mode,
            query: request.query,
            headers: request.headers,
            address: request.ip,
            nowMs: Date.now(),
          },
          admission,
        )
        if (outcome.allowance !== undefined) setAllowance(reply, outcome.allowance)
        if (outcome.kind === 'refused') {
          send(reply, outcome.answer, told)
        } else {
          request.admission = outcome.admission
          reply.raw.once('close', () => budget.giveBack(request.heldBytes))
          next()
        }
      },
      handler: async (request, reply) => {
        const admitted = request.admission
        if (admitted === null) throw new Error('a call reached its handler without admission')
        const answer = await answerCall(admitted, request, parts)
        return send(reply, answer, told, admitted.answerNotation)
      },
    })

    // Pages of the project's site call with a ticket. Nothing here rests on cookies, so any origin may.
    scope.options('/v3/operations/:mode', (_, reply) => reply.code(204).headers(PREFLIGHT).send())

    // Not `:id`, which the router cuts off at 100 characters.
    scope.get<{ Params: { '*': string }; Querystring: Query }>(
      '/v3/transactions/*',
      async (request, reply) => {
        const answer = await answerTransaction(request.params['*'], request, parts)
        return send(reply, answer, told)
      },
    )

    scope.get('/v3/operations.xsd', (_, reply) =>
      reply.type(CONTENT_TYPES.xml).send(OPERATIONS_XSD),
    )
    scope.get('/openapi.json', (_, reply) =>
      reply.type(CONTENT_TYPES.json).send(JSON.stringify(openApi(parts.baseUrl()))),
    )
    scope.all('/v3/*', (_, reply) =>
      send(reply, protocolError(404, 'there is nothing at this address'), told),
    )
  })
}

async function answerCall(
  admission: Admission,
  request: { query: Query; headers: FastifyRequest['headers']; body: unknown },
  parts: CallParts,
): Promise<Answer> {
  const body = request.body as SentBody | undefined
  if (body?.kind === 'tooLarge') return tooLarge()
  if (body?.kind === 'noRoom') return unavailable('too many bodies are being read; try again')
  const call = {
    admission,
    query: request.query,
    idempotencyKey: request.headers['idempotency-key'],
    body: body?.bytes ?? Buffer.alloc(0),
  }
  return await performCall(call, parts)
}

async function answerTransaction(
  id: string,
  request: { query: Query; headers: FastifyRequest['headers'] },
  { registry, database }: ApiParts,
): Promise<Answer> {
  const { endpointId } = request.query
  const endpoint = typeof endpointId === 'string' ? registry.endpoint(endpointId) : undefined
  if (endpoint === undefined) return unknownEndpoint(endpointId)
  const key = checkKey(endpoint, 'secretKey', request.headers.authorization)
  if (key.kind === 'refused') return key.answer
  const unknown = protocolError(404, 'no such transaction is registered for this endpoint')
  if (!isTransactionId(id)) return unknown
  const mechanism = endpoint.definition.transactionMechanism
  const report = await reportTransaction(database, {
    projectId: endpoint.project.id,
    mechanism,
    id,
  })
  return report === undefined ? unknown : transaction(id, report)
}

function notationFor(request: { headers: FastifyRequest['headers'] }): Notation {
  return answerNotation(request.headers.accept, notationOf(request.headers['content-type']))
}

function setAllowance(reply: FastifyReply, allowance: Allowance): void {
  if (allowance.limit === 0) return
  reply.header('ratelimit-limit', allowance.limit)
  reply.header('ratelimit-remaining', allowance.remaining)
  reply.header('ratelimit-reset', allowance.resetS)
}

/** Every error that a caller is told of is in the log with the id that the caller gets. */
function send(
  reply: FastifyReply,
  answer: Answer,
  { log, refusals, fault }: Told & { fault?: Fault },
  notation = notationFor(reply.request),
): FastifyReply {
  const { httpStatus, error, retryAfterS } = answer
  if (error !== undefined) {
    const url = pathOf(reply.request)
    const fields = { errorId: error.id, httpStatus, reason: error.message, url }
    if (httpStatus >= 500) log.error({ ...fields, error: fault }, 'a call failed')
    else refusals.note(fields, Date.now())
  }
  if (retryAfterS !== undefined) reply.header('retry-after', retryAfterS)
  return reply
    .code(httpStatus)
    .header('access-control-allow-origin', '*')
    .header('content-type', CONTENT_TYPES[notation])
    .send(textOf(answer, notation))
}

function textOf(answer: Answer, notation: Notation): string {
  if (answer.texts === undefined) return write(answer.document, notation)
  answer.texts[notation] ??= write(answer.document, notation)
  return answer.texts[notation]
}

/** What a fault says stays inside. */
function sendFault(fault: Fault, reply: FastifyReply, told: Told): FastifyReply {
  return send(reply, faultAnswer(fault), { ...told, fault })
}

/** For the server as a whole: an address that the router cannot even read. */
export function answerUnreadableAddress(log: Log) {
  const told = { log, refusals: new RefusalLog(log) }
  return (fault: Fault, _: FastifyRequest, reply: FastifyReply) => sendFault(fault, reply, told)
}

function faultAnswer(fault: Fault): Answer {
  if (fault.statusCode !== undefined && fault.statusCode >= 400 && fault.statusCode < 500) {
    return protocolError(400, 'the request could not be read')
  }
  // A commit whose outcome is unknown is not "nothing stored".
  return !(fault instanceof UnknownCommit) && isUnavailable(fault)
    ? unavailable('the database is not available; nothing was stored')
    : internalError()
}

/** Without its query, which may hold what people should not find in a log. */
function pathOf(request: FastifyRequest): string {
  return (request.url.split('?', 1)[0] ?? '').slice(0, MAX_LOGGED_PATH)
}
