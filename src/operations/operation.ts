import type { CustomerRequest, Problem, Processing } from '#customers'
import type { Instant } from '#history'
import type { MessageRequest, MessageStatus } from '#messages'
import type { Channel } from '#projects'

/**
 * An operation that passed every check of its shape. It holds all it needs to be applied: what was
 * said yes to is done even when the project's definition changes before its turn comes.
 */
export interface OperationRequest {
  name: string
  kind: 'editCustomer' | 'triggerMessage'
  mode: 'sync' | 'async'
  endpoint: string
  mechanism: string
  transactionId: string | null
  customer: CustomerRequest
  message: MessageRequest | null
}

/** What became of an operation. Values, so that an edge can say it on its own wire. */
export type OperationOutcome =
  | {
      kind: 'done'
      processing: Processing | 'Found' | 'NotFound'
      customer: { id: string; identifiers: { kind: string; value: string }[] } | null
      message: { id: string; channel: Channel; mailing: string; status: MessageStatus } | null
    }
  /** The work itself found that it cannot be done; nothing was changed. */
  | { kind: 'refused'; problems: Problem[] }
  | { kind: 'alreadyProcessed' }

/** An operation whose turn has come. */
export interface Turn {
  operationId: string
  receivedAt: Instant
  request: OperationRequest
}

/** An operation that is over, as it is stored. */
export interface FinishedOperation extends Turn {
  customerId: string | null
  state: 'Done' | 'Failed'
  doneAt: Instant
  problems: Problem[] | null
}
