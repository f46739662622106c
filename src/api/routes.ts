import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reportTransaction } from '#operations'
import { type Database, isUnavailable, UnknownCommit } from '#platform/database'
import type { Log } from '#platform/log'
import type { ProjectRegistry } from '#projects'
import {
  type Admission,
  admit,
  checkKey,
  MAX_BODY_BYTES,
  tooLarge,
  unknownEndpoint,
} from './admit.ts'
import { type Answer, internalError, protocolError, transaction, unavailable } from './answers.ts'
import { answerNotation, CONTENT_TYPES, type Notation, notationOf, write } from './notation.ts'
import { type CallParts, performCall } from './perform-call.ts'
import { type Allowance, RateLimiter } from './rate-limit.ts'
import { isTransactionId } from './read-query.ts'
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
  }
}

type Query = Record<string, unknown>
type Fault = Error & { code?: string; statusCode?: number }

/** The operations interface: `/v3/...`. */
export function addOperationsApi(server: FastifyInstance, parts: ApiParts): void {
  void server.register(async (scope) => {
    const limiter = new RateLimiter()
    const admission = { ...parts, limiter }
    scope.decorateRequest('admission', null)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, keepBytes)
    scope.setErrorHandler<Fault>((fault, request, reply) => sendFault(fault, request, reply, parts))

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
          send(request, reply, outcome.answer, parts)
        } else {
          request.admission = outcome.admission
          next()
        }
      },
      handler: async (request, reply) => {
        const admitted = request.admission
        if (admitted === null) throw new Error('a call reached its handler without admission')
        const { body } = request
        const answer = Buffer.isBuffer(body)
          ? await performCall(
              {
                admission: admitted,
                query: request.query,
                idempotencyKey: request.headers['idempotency-key'],
                body,
              },
              parts,
            )
          : protocolError(400, 'line 1, column 1: the body is empty')
        return send(request, reply, answer, parts)
      },
    })

    // Not `:id`, which the router cuts off at 100 characters.
    scope.get<{ Params: { '*': string }; Querystring: Query }>(
      '/v3/transactions/*',
      async (request, reply) => {
        const answer = await answerTransaction(request.params['*'], request, parts)
        return send(request, reply, answer, parts)
      },
    )

    scope.get('/v3/operations.xsd', (_, reply) =>
      reply.type(CONTENT_TYPES.xml).send(OPERATIONS_XSD),
    )
    scope.get('/openapi.json', (_, reply) =>
      reply.type(CONTENT_TYPES.json).send(JSON.stringify(openApi(parts.baseUrl()))),
    )
    scope.all('/v3/*', (request, reply) =>
      send(request, reply, protocolError(404, 'there is nothing at this address'), parts),
    )
  })
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

function keepBytes(
  _request: FastifyRequest,
  body: Buffer | string,
  next: (error: Error | null, body?: Buffer | string) => void,
): void {
  next(null, body)
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

/** Says the answer. An error is in the log with the id that the caller gets. */
function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  { log }: Pick<ApiParts, 'log'>,
): FastifyReply {
  const { httpStatus, error } = answer
  if (error !== undefined && httpStatus < 500) {
    const fields = { errorId: error.id, httpStatus, reason: error.message, url: pathOf(request) }
    log.info(fields, 'a call was refused')
  }
  return reply
    .code(answer.httpStatus)
    .header('content-type', CONTENT_TYPES[notation])
    .send(write(answer.document, notation))
}

/** Faults are logged with the id that the caller gets. What they say stays inside. */
function sendFault(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  { log }: ApiParts,
): FastifyReply {
  const answer = faultAnswer(fault)
  if (answer.httpStatus >= 500) {
    log.error({ error: fault, errorId: answer.errorId, url: pathOf(request) }, 'a call failed')
  }
  return send(reply, answer, notationFor(request))
}

function faultAnswer(fault: Fault): Answer {
  if (fault.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge()
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
  return request.url.split('?', 1)[0] ?? ''
}
