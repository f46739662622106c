import { randomUUID } from 'node:crypto'
import type { Problem } from '#customers'
import { branch, type DocumentNode, leaf, list } from '#formats/document'
import type { OperationOutcome, TransactionReport } from '#operations'

/** Everything the operations interface can say. */
export interface Answer {
  httpStatus: number
  document: DocumentNode
  /** Seconds after which it makes sense to try again. */
  retryAfterS?: number
  /** Also in the log. */
  error?: { id: string; message: string }
  /** The document as it was written before, for answers that are always the same. */
  texts?: Partial<Record<'xml' | 'json', string>>
}

export type ProtocolStatus = 400 | 401 | 403 | 404 | 413 | 415 | 429

export const ACCEPTED: Answer = {
  ...ok(branch('result', [leaf('status', 'Success')])),
  texts: {},
}

export const ALREADY_PROCESSED: Answer = {
  ...ok(branch('result', [leaf('status', 'TransactionAlreadyProcessed')])),
  texts: {},
}

export function done(
  outcome: Extract<OperationOutcome, { kind: 'done' }>,
  options: { withCustomer: boolean },
): Answer {
  const children = [leaf('status', 'Success')]
  if (options.withCustomer) children.push(customerNode(outcome))
  if (outcome.message !== null) {
    const { id, channel, mailing, status } = outcome.message
    children.push(
      branch('message', [
        leaf('id', id),
        leaf('channel', channel),
        leaf('mailing', mailing),
        leaf('status', status),
      ]),
    )
  }
  return ok(branch('result', children))
}

function customerNode(outcome: Extract<OperationOutcome, { kind: 'done' }>): DocumentNode {
  const children = [leaf('processingStatus', outcome.processing)]
  if (outcome.customer !== null) {
    const identifiers = outcome.customer.identifiers.map(({ kind, value }) => leaf(kind, value))
    children.push(branch('ids', [leaf('customerId', outcome.customer.id), ...identifiers]))
  }
  return branch('customer', children)
}

export function validationError(problems: Problem[]): Answer {
  const messages = problems.map(({ message, location }) =>
    branch('validationMessage', [leaf('message', message), leaf('location', location)]),
  )
  const children = [leaf('status', 'ValidationError'), list('validationMessages', messages)]
  return ok(branch('result', children))
}

export function protocolError(httpStatus: ProtocolStatus, message: string): Answer {
  return failure('ProtocolError', httpStatus, message)
}

export function tooManyRequests(message: string, retryAfterS: number): Answer {
  return { ...protocolError(429, message), retryAfterS }
}

/** The caller may try again soon: nothing was stored. */
export function unavailable(message: string): Answer {
  return { ...failure('InternalServerError', 503, message), retryAfterS: 1 }
}

/** Something of ours broke; the operation was stored whole or not at all. */
export function internalError(): Answer {
  const message =
    'something went wrong on our side; the operation was done as a whole or not at all. ' +
    'Repeat it with the same transaction id to be sure'
  return failure('InternalServerError', 500, message)
}

export function transaction(id: string, report: TransactionReport): Answer {
  const children = [
    leaf('id', id),
    leaf('operation', report.operationName),
    leaf('registeredAt', report.registeredAt.toISOString()),
    leaf('state', report.state),
  ]
  if (report.problems !== null) {
    const texts = report.problems.map(({ location, message }) => `${location}: ${message}`)
    children.push(leaf('errorMessage', texts.join('; ')))
  }
  children.push(list('messages', report.messages.map(messageNode)))
  return ok(branch('result', [leaf('status', 'Success'), branch('transaction', children)]))
}

function messageNode(message: TransactionReport['messages'][number]): DocumentNode {
  const entries = message.history.map(({ status, at, reason }) =>
    branch('entry', [
      leaf('status', status),
      leaf('at', at.toISOString()),
      ...(reason === null ? [] : [leaf('reason', reason)]),
    ]),
  )
  return branch('message', [
    leaf('id', message.id),
    leaf('channel', message.channel),
    leaf('mailing', message.mailing),
    leaf('status', message.status),
    list('history', entries),
  ])
}

function ok(document: DocumentNode): Answer {
  return { httpStatus: 200, document }
}

function failure(status: string, httpStatus: number, message: string): Answer {
  const error = { id: randomUUID(), message }
  const document = branch('result', [
    leaf('status', status),
    leaf('errorMessage', message),
    leaf('errorId', error.id),
    leaf('httpStatusCode', String(httpStatus)),
  ])
  return { httpStatus, document, error }
}
