import { applyRequest, type Workspace } from '#customers'
import { after, type Instant } from '#history'
import { contactOf, type Message, queueMessage } from '#messages'
import type { FinishedOperation, OperationOutcome, Turn } from './operation.ts'

export interface Applied {
  outcome: OperationOutcome
  operation: FinishedOperation
  message: Message | null
}

/** Does one operation on the customers in memory. If it is refused, nothing there has changed. */
export function applyOperation(workspace: Workspace, turn: Turn, now: Instant): Applied {
  const { request } = turn
  const result = applyRequest(workspace, request.customer, now)
  const doneAt = after(now, turn.receivedAt)
  const operation: FinishedOperation = {
    ...turn,
    state: 'Done',
    doneAt,
    customerId: null,
    problems: null,
  }
  if (result.kind === 'refused') {
    const { problems } = result
    const failed: FinishedOperation = { ...operation, state: 'Failed', problems }
    return { outcome: { kind: 'refused', problems }, operation: failed, message: null }
  }
  if (result.kind === 'notFound') {
    const outcome = { kind: 'done', processing: 'NotFound', customer: null, message: null } as const
    return { outcome, operation, message: null }
  }
  const { customer } = result
  const message = request.message === null ? null : queue(workspace, turn, customer, now)
  const isFound = request.kind === 'triggerMessage' && result.processing === 'NotChanged'
  return {
    outcome: {
      kind: 'done',
      processing: isFound ? 'Found' : result.processing,
      customer: {
        id: customer.id,
        identifiers: customer.identifiers.map(({ kind, value }) => ({ kind, value })),
      },
      message: message && {
        id: message.id,
        channel: message.channel,
        mailing: message.mailing,
        status: 'Queued',
      },
    },
    operation: { ...operation, customerId: customer.id },
    message,
  }
}

function queue(
  workspace: Workspace,
  turn: Turn,
  customer: { id: string; email: string | null; mobilePhone: string | null },
  createdAt: Instant,
): Message | null {
  const { message, transactionId } = turn.request
  if (message === null) return null
  const address = customer[contactOf(message.channel)]
  // The request names the contact it needs, so a customer without one was refused before.
  if (address === null) throw new TypeError('a message was asked for without its contact')
  return queueMessage(workspace.ids, {
    customerId: customer.id,
    mailing: message.mailing,
    channel: message.channel,
    address,
    parameters: message.parameters,
    operationId: turn.operationId,
    transactionId,
    createdAt,
  })
}
