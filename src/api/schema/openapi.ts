import { answer, answerHeaders, requestBody } from './openapi-answers.ts'
import { exampleAnswers, exampleRequests } from './openapi-examples.ts'
import { schemas } from './openapi-schemas.ts'

/** The OpenAPI 3.1 description of the operations interface at its public address. */
export function openApi(baseUrl: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthouse operations',
      version: '3',
      description:
        'Triggers email, SMS and Viber messages and edits customers. XML is the interface and JSON ' +
        'its mirror: the root object has no name, containers of repeated elements are arrays. The ' +
        'exact shape of the XML is in /v3/operations.xsd.',
    },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'operations', description: 'What a site, an app or another system sends.' },
      { name: 'service', description: 'What operators and tools ask.' },
    ],
    paths: {
      '/v3/operations/{mode}': { post: runOperation() },
      '/v3/transactions/{transactionId}': { get: readTransaction() },
      ...servicePaths(),
    },
    components: {
      securitySchemes: { secretKey: secretKeyScheme() },
      parameters: parameters(),
      headers: answerHeaders(),
      schemas: schemas(),
    },
  }
}

function runOperation(): object {
  const examples = exampleAnswers()
  return {
    operationId: 'runOperation',
    tags: ['operations'],
    summary: 'Triggers a message or edits a customer.',
    description:
      'Sync waits for the work, at most ten seconds. Async answers when the operation is committed ' +
      'to disk; it will be done in the order received. Shape and fields are checked before the ' +
      'answer in both modes. A refused request registers no transaction and may be repeated.',
    security: [{ secretKey: [] }, {}],
    parameters: refs('Mode', 'EndpointId', 'Operation', 'DeviceUuid').concat(
      refs('TransactionIdQuery', 'TransactiondIdQuery', 'IdempotencyKey'),
    ),
    requestBody: requestBody(exampleRequests()),
    responses: {
      200: answer(
        'The request was understood: `Success`, `TransactionAlreadyProcessed` or `ValidationError`.',
        examples.understood,
        'limited',
      ),
      ...refusals([400, 401, 403, 404, 413, 415, 429]),
      ...faults(),
    },
  }
}

function readTransaction(): object {
  return {
    operationId: 'readTransaction',
    tags: ['operations'],
    summary: 'Shows what became of a transaction and of its messages.',
    security: [{ secretKey: [] }],
    parameters: refs('TransactionIdPath', 'EndpointId'),
    responses: {
      200: answer('The transaction is known.', exampleAnswers().transaction),
      ...refusals([400, 401, 403, 404]),
      ...faults(),
    },
  }
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The query or the body cannot be read, or the operation is unknown.',
  401: 'The endpoint is unknown, or a secret key or ticket is missing.',
  403: 'The operation is not allowed for the endpoint, or the secret key or the ticket is wrong.',
  404: 'There is no such mode or transaction.',
  413: 'The body is larger than 1 MiB.',
  415: 'The body is neither XML nor JSON.',
  429: 'Too many requests; repeat after the time in `Retry-After`.',
}

function refusals(statuses: readonly number[]): Record<number, object> {
  const { refusal } = exampleAnswers()
  const described = statuses.map((status) => {
    const description = `\`ProtocolError\`: ${REFUSALS[status]}`
    const headers = status === 429 ? 'limitedAndRetry' : 'none'
    return [status, answer(description, refusal(status), headers)] as const
  })
  return Object.fromEntries(described)
}

function faults(): Record<number, object> {
  const { fault } = exampleAnswers()
  return {
    500: answer('`InternalServerError`: a fault of the service; nothing is half done.', fault(500)),
    503: answer(
      '`InternalServerError`: the service is busy or starting, nothing is stored; repeat later.',
      fault(503),
      'retry',
    ),
  }
}

function servicePaths(): Record<string, object> {
  return {
    '/v3/operations.xsd': {
      get: plainCall('readSchema', 'The XML Schema of both envelopes.', 'application/xml'),
    },
    '/openapi.json': { get: plainCall('readOpenApi', 'This document.', 'application/json') },
    '/metrics': { get: plainCall('readMetrics', 'Metrics for Prometheus.', 'text/plain') },
    '/healthz': { get: probe('isAlive', 'The process runs.', { 200: 'Yes.' }) },
    '/readyz': {
      get: probe('isReady', 'The process can do its work.', { 200: 'Yes.', 503: 'Not now.' }),
    },
  }
}

function plainCall(operationId: string, summary: string, type: string): object {
  const schema = { type: type === 'application/json' ? 'object' : 'string' }
  return {
    operationId,
    tags: ['service'],
    summary,
    security: [],
    responses: { 200: { description: summary, content: { [type]: { schema } } } },
  }
}

function probe(operationId: string, summary: string, answers: Record<number, string>): object {
  const described = Object.entries(answers).map(([status, description]) => [
    status,
    { description },
  ])
  return {
    operationId,
    tags: ['service'],
    summary,
    security: [],
    responses: Object.fromEntries(described),
  }
}

function secretKeyScheme(): object {
  return {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      'The word `SecretKey`, a space and a secret key of the endpoint. Each operation says whether ' +
      'it takes a key, an `authenticationTicket` in the body, either, or none.',
  }
}

function parameters(): Record<string, object> {
  const transactionId = { $ref: '#/components/schemas/TransactionId' }
  const name = { type: 'string', minLength: 1 }
  return {
    Mode: {
      ...{ name: 'mode', in: 'path', required: true },
      schema: { type: 'string', enum: ['sync', 'async'] },
    },
    EndpointId: {
      ...{ name: 'endpointId', in: 'query', required: true, schema: name },
      description: 'The site, app or other system that sends.',
      example: 'demo-shop.website',
    },
    Operation: {
      ...{ name: 'operation', in: 'query', required: true, schema: name },
      description: 'The name of an operation of the project.',
      example: 'EditCustomer',
    },
    DeviceUuid: {
      ...{ name: 'deviceUUID', in: 'query', schema: { type: 'string', format: 'uuid' } },
      description: 'The device of the customer.',
    },
    TransactionIdQuery: {
      ...{ name: 'transactionId', in: 'query', schema: transactionId },
      description:
        'The transaction in the systems of the sender. A repeat with a registered one does nothing ' +
        'again. Where two of its three spellings are present, they must be equal.',
    },
    TransactiondIdQuery: {
      ...{ name: 'transactiondId', in: 'query', schema: transactionId },
      description: 'Another spelling of `transactionId`.',
    },
    IdempotencyKey: {
      ...{ name: 'Idempotency-Key', in: 'header', schema: transactionId },
      description: 'Another place for `transactionId`.',
    },
    TransactionIdPath: {
      ...{ name: 'transactionId', in: 'path', required: true, schema: transactionId },
      description: 'The identifier that the operation was sent with.',
    },
  }
}

function refs(...names: string[]): object[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}
