import { after, readNow, recordHistory } from '#history'
import type { Database } from '#platform/database'
import { enterLane, finishedWrite, takeOneFromInbox } from './inbox-store.ts'
import type { FinishedOperation } from './operation.ts'
import { finishedRow } from './operation-rows.ts'

/** Ends an operation of the inbox as `Failed`, so that the lane goes on without it. */
export async function setAside(
  database: Database,
  projectId: number,
  operationId: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await enterLane(transaction, projectId)
    // Another process may have been faster; then there is nothing left to do.
    const turn = await takeOneFromInbox(transaction, projectId, operationId)
    if (turn === undefined) return
    const now = await readNow(transaction, projectId)
    const operation: FinishedOperation = {
      ...turn,
      customerId: null,
      state: 'Failed',
      doneAt: after(now, turn.receivedAt),
      problems: [{ location: '/', message: 'the operation could not be applied; see the log' }],
    }
    const { text, values } = finishedWrite(projectId, [operation])
    // Whatever is wrong with it, this must not fail as well.
    await transaction.query({ text: `${text} on conflict do nothing`, values })
    await recordHistory(transaction, projectId, [finishedRow(operation)])
  })
}
