import { eraseCustomer as eraseFromCustomers } from '#customers'
import { eraseHistory, readNow, recordHistory } from '#history'
import { eraseMessages } from '#messages'
import type { Database } from '#platform/database'
import { enterLane, lastInInbox } from './inbox-store.ts'

export type EraseOutcome =
  | { kind: 'erased'; customerIds: string[] }
  | { kind: 'notFound' }
  /** Accepted operations may still name the customer; they are applied first. */
  | { kind: 'busy' }

/**
 * Clears a customer's personal values everywhere in the operational store. It works in the lane: when
 * the inbox is empty, no operation that was accepted can bring a value back.
 */
export async function eraseCustomer(
  database: Database,
  target: { projectId: number; customerId: string },
): Promise<EraseOutcome> {
  const { projectId, customerId } = target
  return await database.transaction(async (transaction) => {
    await enterLane(transaction, projectId)
    if ((await lastInInbox(transaction, projectId)) !== null) return { kind: 'busy' }
    const now = await readNow(transaction, projectId)
    const erased = await eraseFromCustomers(transaction, { projectId, customerId, now })
    if (erased === undefined) return { kind: 'notFound' }
    await Promise.all([
      eraseHistory(transaction, projectId, erased.customerIds),
      eraseMessages(transaction, projectId, erased.customerIds),
    ])
    await recordHistory(transaction, projectId, erased.history)
    return { kind: 'erased', customerIds: erased.customerIds }
  })
}
