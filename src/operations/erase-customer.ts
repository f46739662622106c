import { eraseCustomer as eraseFromCustomers } from '#customers'
import { eraseHistory, MailingIds, RecordIds, readNow, recordHistory } from '#history'
import { eraseMessages } from '#messages'
import type { Database, Sql } from '#platform/database'
import type { Project } from '#projects'
import { applyBatch } from './apply-batch.ts'
import { enterLane, takeFromInbox } from './inbox-store.ts'
import { openFieldsOf } from './lanes.ts'

export type EraseOutcome = { kind: 'erased'; customerIds: string[] } | { kind: 'notFound' }

const BATCH = 256

/**
 * Clears a customer's personal values everywhere in the operational store. It works in the lane, and
 * applies first what was accepted before: no operation in the inbox can bring a value back.
 */
export async function eraseCustomer(
  database: Database,
  target: { project: Project; customerId: string },
): Promise<EraseOutcome> {
  const { project, customerId } = target
  const projectId = project.id
  return await database.transaction(async (transaction) => {
    await enterLane(transaction, projectId)
    await applyInbox(transaction, project)
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

async function applyInbox(transaction: Sql, project: Project): Promise<void> {
  const ids = new RecordIds()
  const mailingIds = new MailingIds()
  for (let isMore = true; isMore; ) {
    const { turns, isDrained } = await takeFromInbox(transaction, project.id, BATCH)
    isMore = !isDrained
    const { sent } = await applyBatch(transaction, {
      projectId: project.id,
      openFields: openFieldsOf(project),
      ids,
      fromInbox: turns,
      sync: [],
      mailingIds,
      now: await readNow(transaction, project.id),
    })
    await Promise.all(sent)
  }
}
