import { loadWorkspace, saveWorkspace, type Workspace } from '#customers'
import { historyWrite, type Instant, type MailingIds, type RecordIds } from '#history'
import { type Message, messageRows, messagesWrite, queuedStatusesWrite } from '#messages'
import { combine, type Sql } from '#platform/database'
import { type Applied, applyOperation } from './apply-operation.ts'
import {
  finishedWrite,
  registerTransactions,
  type TransactionKey,
  unregisterTransactions,
} from './inbox-store.ts'
import type { FinishedOperation, OperationOutcome, OperationRequest, Turn } from './operation.ts'
import { finishedRow, transactionRow } from './operation-rows.ts'

/** New records one operation may need beside its identifiers: itself, customer, message, status. */
const IDS_PER_OPERATION = 4

export interface Batch {
  projectId: number
  openFields: ReadonlySet<string>
  ids: RecordIds
  /** Accepted earlier, in that order. */
  fromInbox: Turn[]
  /** They come after. */
  sync: OperationRequest[]
  mailingIds: MailingIds
  /** The instant of its first operation. */
  now: Instant
}

/**
 * Applies a batch in order: finds every customer it names, does the work in memory, and sends it all with
 * a few statements, which the caller waits for when it commits. Resolves with the outcomes of the sync
 * operations, which are true once that has happened.
 */
export async function applyBatch(
  transaction: Sql,
  batch: Batch,
): Promise<{ outcomes: OperationOutcome[]; sent: Promise<unknown>[] }> {
  const { projectId, now } = batch
  const requests = [...batch.fromInbox.map((turn) => turn.request), ...batch.sync]
  const { ids, mailingIds } = batch
  await ids.reserve(transaction, idsNeeded(requests))
  const keys = keysOf(batch)
  const mailings = requests.flatMap(({ message }) => message?.mailing ?? [])
  const [registered, workspace] = await Promise.all([
    registerTransactions(transaction, projectId, [...keys.values()], now),
    loadWorkspace(transaction, {
      projectId,
      requests: requests.map((request) => request.customer),
      ids,
      openFields: batch.openFields,
    }),
    mailingIds.load(transaction, projectId, mailings),
  ])

  const work = doInOrder(batch, { workspace, keys, registered })
  const { sent, writes } = saveWorkspace(transaction, projectId, workspace)
  if (work.unusedKeys.length > 0) {
    sent.push(unregisterTransactions(transaction, projectId, work.unusedKeys))
  }
  if (work.finished.length > 0) writes.push(finishedWrite(projectId, work.finished))
  if (work.messages.length > 0) {
    writes.push(messagesWrite(projectId, work.messages))
    writes.push(queuedStatusesWrite(projectId, work.messages))
  }
  if (workspace.history.length > 0) writes.push(historyWrite(projectId, workspace.history))
  if (writes.length > 0) sent.push(transaction.query(combine(writes)))
  return { outcomes: work.outcomes, sent }
}

interface Loaded {
  workspace: Workspace
  keys: Map<string, TransactionKey>
  registered: Set<string>
}

interface Work {
  outcomes: OperationOutcome[]
  finished: FinishedOperation[]
  messages: Message[]
  unusedKeys: TransactionKey[]
}

/** Does the work of the batch, one operation after another. */
function doInOrder(batch: Batch, loaded: Loaded): Work {
  const { workspace, keys, registered } = loaded
  const { mailingIds, now } = batch
  const finished: FinishedOperation[] = []
  const messages: Message[] = []
  const keep = (applied: Applied) => {
    finished.push(applied.operation)
    workspace.history.push(finishedRow(applied.operation))
    if (applied.message === null) return
    messages.push(applied.message)
    workspace.history.push(...messageRows(applied.message, mailingIds.get(applied.message.mailing)))
  }

  batch.fromInbox.forEach((turn, index) => {
    keep(applyOperation(workspace, turn, now + index))
  })
  const free = new Map([...keys].filter(([, key]) => registered.has(key.operationId)))
  const outcomes = batch.sync.map((request, index) => {
    const key = keyText(request)
    if (key !== null && !free.has(key)) return { kind: 'alreadyProcessed' } as const
    const operationId = (key && free.get(key)?.operationId) ?? workspace.ids.take()
    const at: Instant = now + batch.fromInbox.length + index
    const applied = applyOperation(workspace, turnOf(request, operationId, at), at)
    // A refused sync operation leaves no trace, and its key may be used again.
    if (applied.outcome.kind === 'refused') return applied.outcome
    keep(applied)
    if (key !== null) {
      free.delete(key)
      workspace.history.push(transactionRow(request, applied.operation.operationId, now))
    }
    return applied.outcome
  })
  return { outcomes, finished, messages, unusedKeys: [...free.values()] }
}

function turnOf(request: OperationRequest, operationId: string, at: Instant): Turn {
  // It is received and done in one step, so one state says both.
  return { operationId, receivedAt: at - 1, request }
}

/** The keys of the sync operations; those with one key share one number, because one does the work. */
function keysOf(batch: Batch): Map<string, TransactionKey> {
  const keys = new Map<string, TransactionKey>()
  for (const request of batch.sync) {
    const { mechanism, transactionId, name: operationName } = request
    const text = keyText(request)
    if (text === null || transactionId === null || keys.has(text)) continue
    keys.set(text, { mechanism, transactionId, operationId: batch.ids.take(), operationName })
  }
  return keys
}

function keyText(request: OperationRequest): string | null {
  return request.transactionId === null ? null : `${request.mechanism}\n${request.transactionId}`
}

function idsNeeded(requests: OperationRequest[]): number {
  return requests.reduce((sum, request) => sum + IDS_PER_OPERATION + request.customer.ids.length, 0)
}
