import { loadWorkspace, saveWorkspace, type Workspace } from '#customers'
import { type Instant, type RecordIds, readMailingIds, readNow, recordHistory } from '#history'
import { insertMessages, insertQueuedStatuses, type Message, messageRows } from '#messages'
import type { Transaction } from '#platform/database'
import { type Applied, applyOperation } from './apply-operation.ts'
import { WorkFault } from './faults.ts'
import {
  insertFinished,
  registerTransactions,
  type TransactionKey,
  unregisterTransactions,
} from './inbox-store.ts'
import type { FinishedOperation, OperationOutcome, OperationRequest, Turn } from './operation.ts'
import { finishedRow, transactionRow } from './operation-rows.ts'

/** New records one operation may need beside its identifiers: customer, message, status. */
const IDS_PER_OPERATION = 3

export interface Batch {
  projectId: number
  openFields: ReadonlySet<string>
  ids: RecordIds
  /** Accepted earlier, in that order. */
  fromInbox: Turn[]
  /** Sync operations with the ids reserved for them; they come after. */
  sync: OperationRequest[]
  operationIds: string[]
}

/**
 * Applies a batch in order and commits it: finds every customer it names, does the work in memory, and
 * writes it all with a few statements. Resolves with the outcomes of the sync operations.
 */
export async function applyBatch(
  transaction: Transaction,
  batch: Batch,
): Promise<OperationOutcome[]> {
  const { projectId } = batch
  const requests = [...batch.fromInbox.map((turn) => turn.request), ...batch.sync]
  const keys = keysOf(batch)
  const now = await readNow(transaction, projectId)
  const [registered, workspace, mailingIds] = await Promise.all([
    registerTransactions(transaction, projectId, [...keys.values()], now),
    loadWorkspace(transaction, {
      projectId,
      requests: requests.map((request) => request.customer),
      ids: batch.ids,
      openFields: batch.openFields,
    }),
    readMailingIds(transaction, projectId),
    batch.ids.reserve(transaction, idsNeeded(requests)),
  ])

  const work = doInMemory(batch, { workspace, keys, registered, mailingIds, now })
  const writes = saveWorkspace(transaction, projectId, workspace)
  if (work.finished.length > 0) writes.push(insertFinished(transaction, projectId, work.finished))
  if (work.messages.length > 0) {
    writes.push(insertMessages(transaction, projectId, work.messages))
    writes.push(insertQueuedStatuses(transaction, projectId, work.messages))
  }
  if (work.unusedKeys.length > 0) {
    writes.push(unregisterTransactions(transaction, projectId, work.unusedKeys))
  }
  writes.push(recordHistory(transaction, projectId, workspace.history))
  await transaction.commitWith(writes)
  return work.outcomes
}

interface Loaded {
  workspace: Workspace
  keys: Map<string, TransactionKey>
  registered: Set<string>
  mailingIds: Map<string, string>
  now: Instant
}

interface Work {
  outcomes: OperationOutcome[]
  finished: FinishedOperation[]
  messages: Message[]
  unusedKeys: TransactionKey[]
}

/** Does the work of the batch, one operation after another. */
function doInMemory(batch: Batch, loaded: Loaded): Work {
  try {
    return doInOrder(batch, loaded)
  } catch (cause) {
    throw new WorkFault('an operation of the batch could not be done', { cause })
  }
}

function doInOrder(batch: Batch, loaded: Loaded): Work {
  const { workspace, keys, registered, mailingIds, now } = loaded
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
    const operationId = key === null ? batch.operationIds[index] : free.get(key)?.operationId
    const at: Instant = now + batch.fromInbox.length + index
    const applied = applyOperation(workspace, turnOf(request, operationId, at), at)
    // A refused sync operation leaves no trace, and its key may be used again.
    if (applied.outcome.kind === 'refused') return applied.outcome
    keep(applied)
    if (key !== null) {
      free.delete(key)
      workspace.history.push(transactionRow(request, applied.operation.operationId, at))
    }
    return applied.outcome
  })
  return { outcomes, finished, messages, unusedKeys: [...free.values()] }
}

function turnOf(request: OperationRequest, operationId: string | undefined, at: Instant): Turn {
  if (operationId === undefined) throw new TypeError('a sync operation without a number')
  // It is received and done in one step, so one state says both.
  return { operationId, receivedAt: at - 1, request }
}

/** The keys of the sync operations; those with one key share one number, because one does the work. */
function keysOf(batch: Batch): Map<string, TransactionKey> {
  const keys = new Map<string, TransactionKey>()
  batch.sync.forEach((request, index) => {
    const text = keyText(request)
    const operationId = batch.operationIds[index]
    if (text === null || request.transactionId === null || operationId === undefined) return
    if (keys.has(text)) return
    keys.set(text, {
      mechanism: request.mechanism,
      transactionId: request.transactionId,
      operationId,
      operationName: request.name,
    })
  })
  return keys
}

function keyText(request: OperationRequest): string | null {
  return request.transactionId === null ? null : `${request.mechanism}\n${request.transactionId}`
}

function idsNeeded(requests: OperationRequest[]): number {
  return requests.reduce((sum, request) => sum + IDS_PER_OPERATION + request.customer.ids.length, 0)
}
