import { type HistoryRow, type Instant, isoOf } from '#history'
import type { FinishedOperation, OperationRequest } from './operation.ts'

export function finishedRow(operation: FinishedOperation): HistoryRow {
  const { request } = operation
  return {
    table: 'CDP.Operations',
    at: operation.doneAt,
    state: {
      id: operation.operationId,
      operationSystemName: request.name,
      kind: request.kind,
      mode: request.mode,
      endpointSystemName: request.endpoint,
      transactionId: request.transactionId,
      unmergedCustomerId: operation.customerId,
      state: operation.state,
      receivedDateTimeUtc: isoOf(operation.receivedAt),
      doneDateTimeUtc: isoOf(operation.doneAt),
      errorMessage: operation.problems === null ? null : problemText(operation),
      _isDeleted: false,
    },
  }
}

/** An operation that waits in the inbox; its number and instant are given when it is stored. */
export function acceptedState(request: OperationRequest): object {
  return {
    operationSystemName: request.name,
    kind: request.kind,
    mode: request.mode,
    endpointSystemName: request.endpoint,
    transactionId: request.transactionId,
    unmergedCustomerId: null,
    state: 'Accepted',
    doneDateTimeUtc: null,
    errorMessage: null,
    _isDeleted: false,
  }
}

/** A registered transaction, likewise without the number of its operation and its instant. */
export function registeredState(request: OperationRequest): object {
  return {
    transactionId: request.transactionId,
    mechanism: request.mechanism,
    operationSystemName: request.name,
    _isDeleted: false,
  }
}

function problemText(operation: FinishedOperation): string {
  return (operation.problems ?? [])
    .map(({ location, message }) => `${location}: ${message}`)
    .join('; ')
}

export function transactionRow(
  request: OperationRequest,
  operationId: string,
  at: Instant,
): HistoryRow {
  return {
    table: 'Mailings.Transactions',
    at,
    state: { ...registeredState(request), operationId, registeredDateTimeUtc: isoOf(at) },
  }
}
