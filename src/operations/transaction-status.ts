import { type MessageReport, readMessagesOf } from '#messages'
import type { Sql } from '#platform/database'
import { findTransaction, type RegisteredTransaction } from './transactions-store.ts'

export interface TransactionReport extends RegisteredTransaction {
  messages: MessageReport[]
}

/** What became of a transaction: its operation and the messages it caused. */
export async function reportTransaction(
  sql: Sql,
  key: { projectId: number; mechanism: string; id: string },
): Promise<TransactionReport | undefined> {
  const transaction = await findTransaction(sql, key)
  if (transaction === undefined) return undefined
  const messages = await readMessagesOf(sql, key.projectId, transaction.operationId)
  return { ...transaction, messages }
}
