import type { Sql } from '#platform/database'
import {
  deleteCustomers,
  insertCustomers,
  updateCustomers,
  upsertDevices,
} from './customers-store.ts'
import { deleteIdentifiers, insertIdentifiers } from './identifiers-store.ts'
import { insertMerges, redirectDevices, redirectMerges } from './merges-store.ts'
import type { Workspace } from './workspace.ts'

/**
 * Sends the statements that store what a batch did to its customers, without waiting for them. The
 * order matters: values are freed before they are given away. The journal is written by the caller.
 */
export function saveWorkspace(
  sql: Sql,
  projectId: number,
  workspace: Workspace,
): Promise<unknown>[] {
  const { created, changed, absorbed } = workspace
  const sent: Promise<unknown>[] = []
  const gone = [...absorbed].filter((customer) => !created.has(customer))
  const fresh = [...created].filter((customer) => !absorbed.has(customer))
  const edited = [...changed].filter((customer) => !created.has(customer))
  const dropped = [...workspace.droppedIdentifiers.values()]
  const added = [...workspace.addedIdentifiers.values()]
  const devices = [...workspace.seenDevices]
  if (gone.length > 0)
    sent.push(
      deleteCustomers(
        sql,
        projectId,
        gone.map(({ id }) => id),
      ),
    )
  if (dropped.length > 0) sent.push(deleteIdentifiers(sql, projectId, dropped))
  if (fresh.length > 0) sent.push(insertCustomers(sql, projectId, fresh))
  if (edited.length > 0) sent.push(updateCustomers(sql, projectId, edited))
  if (added.length > 0) sent.push(insertIdentifiers(sql, projectId, added))
  if (workspace.merges.length > 0) {
    const named = [...workspace.devices()].map((device) => device.uuid)
    sent.push(redirectMerges(sql, projectId, workspace.merges))
    sent.push(redirectDevices(sql, projectId, workspace.merges, named))
    sent.push(insertMerges(sql, projectId, workspace.merges))
  }
  if (devices.length > 0) sent.push(upsertDevices(sql, projectId, devices))
  return sent
}
