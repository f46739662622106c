import type { Sql } from '#platform/database'
import type { ProjectDefinition } from './definition.ts'

export interface StoredProject {
  id: number
  name: string
  revision: number
  version: bigint
  definition: ProjectDefinition
}

/** Adds a project that has no revision yet. Undefined when the name is known already. */
export async function insertProject(sql: Sql, name: string): Promise<number | undefined> {
  const rows = await sql.query<{ id: number }>({
    text: `insert into project (name, revision, version) values ($1, 0, 0)
           on conflict (name) do nothing
           returning id`,
    values: [name],
  })
  return rows[0]?.id
}

/** Locks the project's row until the transaction ends, so that its changes follow one another. */
export async function lockProject(
  sql: Sql,
  name: string,
): Promise<{ id: number; revision: number } | undefined> {
  const rows = await sql.query<{ id: number; revision: number }>({
    text: 'select id, revision from project where name = $1 for no key update',
    values: [name],
  })
  return rows[0]
}

/** Compared by the database, for which the order of keys in an object means nothing. */
export async function isRevisionEqual(
  sql: Sql,
  revision: { projectId: number; revision: number; definition: ProjectDefinition },
): Promise<boolean> {
  const rows = await sql.query<{ is_equal: boolean }>({
    text: `select definition = $3::jsonb as is_equal
           from project_revision where project_id = $1 and revision = $2`,
    values: [revision.projectId, revision.revision, JSON.stringify(revision.definition)],
  })
  return rows[0]?.is_equal ?? false
}

export async function insertRevision(
  sql: Sql,
  revision: { projectId: number; revision: number; definition: ProjectDefinition },
): Promise<void> {
  await sql.query({
    text: `insert into project_revision (project_id, revision, definition)
           values ($1, $2, $3::jsonb)`,
    values: [revision.projectId, revision.revision, JSON.stringify(revision.definition)],
  })
}

export async function putRevisionInForce(
  sql: Sql,
  { projectId, revision }: { projectId: number; revision: number },
): Promise<void> {
  await sql.query({
    text: 'update project set revision = $2, version = version + 1 where id = $1',
    values: [projectId, revision],
  })
}

/** Tells running processes that something of the project other than its definition changed. */
export async function raiseVersion(sql: Sql, projectId: number): Promise<void> {
  await sql.query({
    text: 'update project set version = version + 1 where id = $1',
    values: [projectId],
  })
}

export async function insertLane(sql: Sql, projectId: number): Promise<void> {
  await sql.query({ text: 'insert into lane (project_id) values ($1)', values: [projectId] })
}

export async function insertProjectSecret(
  sql: Sql,
  secret: { projectId: number; name: string; sealed: Buffer },
): Promise<void> {
  await sql.query({
    text: 'insert into project_secret (project_id, name, sealed) values ($1, $2, $3)',
    values: [secret.projectId, secret.name, secret.sealed],
  })
}

export async function selectProjectSecret(
  sql: Sql,
  { projectId, name }: { projectId: number; name: string },
): Promise<Buffer | undefined> {
  const rows = await sql.query<{ sealed: Buffer }>({
    text: 'select sealed from project_secret where project_id = $1 and name = $2',
    values: [projectId, name],
  })
  return rows[0]?.sealed
}

/** The versions of all projects: the one statement that is sent again and again. */
export async function selectVersions(sql: Sql): Promise<Map<number, bigint>> {
  const rows = await sql.query<{ id: number; version: string }>({
    name: 'project-versions',
    text: 'select id, version from project',
  })
  return new Map(rows.map((row) => [row.id, BigInt(row.version)]))
}

/** The endpointIds of all projects, for people who look for the right one. */
export async function selectEndpointIds(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ endpoint_id: string }>({
    text: `select project.name || '.' || (endpoint ->> 'name') as endpoint_id
           from project
           join project_revision
             on project_revision.project_id = project.id
            and project_revision.revision = project.revision
           cross join jsonb_array_elements(project_revision.definition -> 'endpoints') as endpoint
           order by endpoint_id`,
  })
  return rows.map((row) => row.endpoint_id)
}

export async function selectProject(sql: Sql, id: number): Promise<StoredProject | undefined> {
  const rows = await sql.query<Omit<StoredProject, 'version'> & { version: string }>({
    text: `select project.id, project.name, project.revision, project.version,
                  project_revision.definition
           from project
           join project_revision
             on project_revision.project_id = project.id
            and project_revision.revision = project.revision
           where project.id = $1`,
    values: [id],
  })
  const row = rows[0]
  return row === undefined ? undefined : { ...row, version: BigInt(row.version) }
}
