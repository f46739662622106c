import type { Problem } from '#customers'
import type { Sql } from '#platform/database'

export interface RegisteredTransaction {
  operationId: string
  operationName: string
  registeredAt: Date
  state: 'Accepted' | 'Done' | 'Failed'
  problems: Problem[] | null
}

export async function findTransaction(
  sql: Sql,
  key: { projectId: number; mechanism: string; id: string },
): Promise<RegisteredTransaction | undefined> {
  const rows = await sql.query<RegisteredTransaction>({
    name: 'find-transaction',
    text: `select t.operation_id as "operationId", coalesce(o.name, t.operation_name) as "operationName",
                  t.registered_at as "registeredAt", coalesce(o.state, 'Accepted') as state,
                  o.problems
             from registered_transaction t
             left join operation o on o.project_id = t.project_id and o.id = t.operation_id
            where t.project_id = $1 and t.mechanism = $2 and t.id = $3`,
    values: [key.projectId, key.mechanism, key.id],
  })
  return rows[0]
}

/** Forgets transactions registered longer ago than `days`, a bounded number at a time. */
export async function forgetTransactions(
  sql: Sql,
  projectId: number,
  limits: { days: number; maxRows: number },
): Promise<number> {
  const rows = await sql.query({
    text: `delete from registered_transaction
            where ctid = any (array(
              select ctid from registered_transaction
               where project_id = $1 and registered_at < wall_clock() - make_interval(days => $2)
               limit $3))
           returning 1`,
    values: [projectId, limits.days, limits.maxRows],
  })
  return rows.length
}
