import type { Sql } from '#platform/database'
import type { ProjectDefinition } from './definition.ts'
import {
  insertLane,
  insertProject,
  insertRevision,
  isRevisionEqual,
  lockProject,
  putRevisionInForce,
} from './project-store.ts'
import { makeSigningKey } from './signing-key.ts'

export interface StoredRevision {
  projectId: number
  revision: number
  /** This call created the project. */
  isNew: boolean
  /** False: the revision in force says the same already, and nothing was written. */
  changed: boolean
}

/**
 * Makes a definition the project's next revision, in the caller's transaction. Two of these at once
 * wait for each other at the project's row.
 */
export async function storeRevision(
  tx: Sql,
  definition: ProjectDefinition,
  masterKey: Buffer,
): Promise<StoredRevision> {
  const isNew = (await insertProject(tx, definition.name)) !== undefined
  const project = await lockProject(tx, definition.name)
  if (project === undefined) throw new Error(`project ${definition.name} is gone`)
  const projectId = project.id
  if (isNew) {
    await insertLane(tx, projectId)
    await makeSigningKey(tx, { projectId, masterKey })
  }
  if (await isRevisionEqual(tx, { projectId, revision: project.revision, definition })) {
    return { projectId, revision: project.revision, isNew, changed: false }
  }
  const revision = project.revision + 1
  await insertRevision(tx, { projectId, revision, definition })
  await putRevisionInForce(tx, { projectId, revision })
  return { projectId, revision, isNew, changed: true }
}
