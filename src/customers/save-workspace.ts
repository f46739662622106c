import type { Sql, Write } from '#platform/database'
import {
  changedCustomersWrite,
  deleteCustomers,
  devicesWrite,
  newCustomersWrite,
} from './customers-store.ts'
import { insertMerges, redirectDevices, redirectMerges } from './merges-store.ts'
import { deleteNames, namesWrite } from './names-store.ts'
import type { Workspace } from './workspace.ts'

/**
 * What stores a batch's work on its customers. What frees a value or redirects a merge is sent at once,
 * without waiting, because it comes before the rest; the rest is for the caller to send.
 */
export function saveWorkspace(
  sql: Sql,
  projectId: number,
  workspace: Workspace,
): { sent: Promise<unknown>[]; writes: Write[] } {
  return {
    sent: sendRemovals(sql, projectId, workspace),
    writes: additions(projectId, workspace),
  }
}

function sendRemovals(sql: Sql, projectId: number, workspace: Workspace): Promise<unknown>[] {
  const { created, absorbed, merges } = workspace
  const sent: Promise<unknown>[] = []
  const gone = [...absorbed].filter((customer) => !created.has(customer))
  const freed = [...workspace.freedNames.values()]
  if (gone.length > 0)
    sent.push(
      deleteCustomers(
        sql,
        projectId,
        gone.map(({ id }) => id),
      ),
    )
  if (freed.length > 0) sent.push(deleteNames(sql, projectId, freed))
  if (merges.length > 0) {
    const named = [...workspace.devices()].map((device) => device.uuid)
    sent.push(redirectMerges(sql, projectId, merges))
    sent.push(redirectDevices(sql, projectId, merges, named))
    sent.push(insertMerges(sql, projectId, merges))
  }
  return sent
}

function additions(projectId: number, workspace: Workspace): Write[] {
  const { created, changed, absorbed } = workspace
  const writes: Write[] = []
  const fresh = [...created].filter((customer) => !absorbed.has(customer))
  const edited = [...changed].filter((customer) => !created.has(customer))
  const given = [...workspace.givenNames.values()]
  const devices = [...workspace.seenDevices]
  if (fresh.length > 0) writes.push(newCustomersWrite(projectId, fresh))
  if (edited.length > 0) writes.push(changedCustomersWrite(projectId, edited))
  if (given.length > 0) writes.push(namesWrite(projectId, given))
  if (devices.length > 0) writes.push(devicesWrite(projectId, devices))
  return writes
}
