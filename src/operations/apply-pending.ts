import type { Database } from '#platform/database'
import type { Project } from '#projects'
import { Lane } from './lane.ts'
import { openFieldsOf } from './lanes.ts'

/** Applies everything in a project's inbox, for a command that needs it empty. */
export async function applyPending(
  database: Database,
  project: Project,
  onFault: (fault: unknown, what: string) => void,
): Promise<void> {
  await using lane = new Lane({
    database,
    projectId: project.id,
    openFields: () => openFieldsOf(project),
    onFault,
    maxSyncWaitMs: 0,
  })
  await lane.drain()
}
