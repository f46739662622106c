import { type Instant, isoOf } from '#history'
import type { Sql } from '#platform/database'
import type { FinishedOperation, OperationRequest, Turn } from './operation.ts'

/** Waits until this transaction is the only one that applies operations of the project. */
export async function enterLane(sql: Sql, projectId: number): Promise<void> {
  await sql.query({
    name: 'enter-lane',
    text: `select project_id from lane where project_id = $1 for update`,
    values: [projectId],
  })
}

/** Takes the oldest unapplied operations. They are back if the transaction fails. */
export async function takeFromInbox(sql: Sql, projectId: number, limit: number): Promise<Turn[]> {
  const rows = await sql.query<{ id: string; received_us: string; payload: OperationRequest }>({
    name: 'take-from-inbox',
    text: `delete from inbox
            where project_id = $1
              and id in (select id from inbox where project_id = $1 order by id limit $2)
           returning id, (extract(epoch from received_at) * 1000000)::bigint as received_us, payload`,
    values: [projectId, limit],
  })
  return rows
    .map((row) => ({
      operationId: row.id,
      receivedAt: Number(row.received_us),
      request: row.payload,
    }))
    .sort((one, other) => Number(one.operationId) - Number(other.operationId))
}

/** The number of the youngest unapplied operation, or null if there is none. */
export async function lastInInbox(sql: Sql, projectId: number): Promise<number | null> {
  const [row] = await sql.query<{ last: string | null }>({
    name: 'last-in-inbox',
    text: `select max(id) as last from inbox where project_id = $1`,
    values: [projectId],
  })
  return row?.last == null ? null : Number(row.last)
}

/** One cheap read over all projects. */
export async function projectsWithWork(sql: Sql): Promise<number[]> {
  const rows = await sql.query<{ project_id: number }>({
    name: 'projects-with-work',
    text: `select project_id from lane
            where exists (select from inbox where inbox.project_id = lane.project_id)`,
  })
  return rows.map((row) => row.project_id)
}

export async function reserveOperationIds(sql: Sql, count: number): Promise<string[]> {
  if (count === 0) return []
  const rows = await sql.query<{ id: string }>({
    name: 'reserve-operation-ids',
    text: `select nextval('operation_id') as id from generate_series(1, $1)`,
    values: [count],
  })
  return rows.map((row) => row.id)
}

export interface TransactionKey {
  mechanism: string
  transactionId: string
  operationId: string
  operationName: string
}

/** Registers those of the keys that are new, and answers which they were. */
export async function registerTransactions(
  sql: Sql,
  projectId: number,
  keys: TransactionKey[],
  at: Instant,
): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await sql.query<{ operation_id: string }>({
    name: 'register-transactions',
    text: `insert into registered_transaction
             (project_id, mechanism, id, operation_id, operation_name, registered_at)
           select $1, n.mechanism, n.id, n.operation_id, n.operation_name, $6::timestamptz
             from unnest($2::text[], $3::text[], $4::bigint[], $5::text[])
               n (mechanism, id, operation_id, operation_name)
            order by n.mechanism, n.id
           on conflict do nothing
           returning operation_id`,
    values: [
      projectId,
      keys.map((key) => key.mechanism),
      keys.map((key) => key.transactionId),
      keys.map((key) => key.operationId),
      keys.map((key) => key.operationName),
      isoOf(at),
    ],
  })
  return new Set(rows.map((row) => row.operation_id))
}

/** Frees keys registered in this same transaction whose operations were all refused. */
export async function unregisterTransactions(
  sql: Sql,
  projectId: number,
  keys: TransactionKey[],
): Promise<void> {
  await sql.query({
    text: `delete from registered_transaction t
            using unnest($2::text[], $3::text[]) n (mechanism, id)
            where t.project_id = $1 and t.mechanism = n.mechanism and t.id = n.id`,
    values: [projectId, keys.map((key) => key.mechanism), keys.map((key) => key.transactionId)],
  })
}

export async function insertFinished(
  sql: Sql,
  projectId: number,
  operations: FinishedOperation[],
): Promise<void> {
  const column = (value: (operation: FinishedOperation) => string | null) => operations.map(value)
  await sql.query({
    name: 'insert-finished',
    text: `insert into operation
             (project_id, id, name, kind, mode, endpoint, mechanism, transaction_id, customer_id,
              state, received_at, done_at, problems)
           select $1, n.id, n.name, n.kind, n.mode, n.endpoint, n.mechanism, n.transaction_id,
                  n.customer_id, n.state, n.received_at, n.done_at, n.problems
             from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                         $8::text[], $9::bigint[], $10::text[], $11::timestamptz[],
                         $12::timestamptz[], $13::jsonb[])
               n (id, name, kind, mode, endpoint, mechanism, transaction_id, customer_id, state,
                  received_at, done_at, problems)`,
    values: [
      projectId,
      column((operation) => operation.operationId),
      column((operation) => operation.request.name),
      column((operation) => operation.request.kind),
      column((operation) => operation.request.mode),
      column((operation) => operation.request.endpoint),
      column((operation) => operation.request.mechanism),
      column((operation) => operation.request.transactionId),
      column((operation) => operation.customerId),
      column((operation) => operation.state),
      column((operation) => isoOf(operation.receivedAt)),
      column((operation) => isoOf(operation.doneAt)),
      column((operation) => operation.problems && JSON.stringify(operation.problems)),
    ],
  })
}
