import type { Instant } from '#history'
import { plainArray, type Sql, textArray, type Write } from '#platform/database'
import type { FinishedOperation, OperationRequest, Turn } from './operation.ts'

/** Waits until this transaction is the only one that applies operations of the project. */
export async function enterLane(sql: Sql, projectId: number): Promise<void> {
  await sql.query({
    name: 'enter-lane',
    text: `select project_id from lane where project_id = $1 for update`,
    values: [projectId],
  })
}

/** A batch of large operations is short, so that it fits into memory several times over. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/**
 * Takes the oldest unapplied operations, at least one. They are back if the transaction fails. By place, not
 * by id: joined by id, the planner came to read the whole inbox for each batch once it was long.
 */
export async function takeFromInbox(
  sql: Sql,
  projectId: number,
  limit: number,
): Promise<{ turns: Turn[]; isDrained: boolean }> {
  const rows = await sql.query<InboxRecord>({
    name: 'take-from-inbox',
    text: `delete from inbox
            where ctid = any (array(
              select place from (
                select ctid as place,
                       sum(size_bytes) over (order by project_id, id) - size_bytes as bytes_before
                  from inbox where project_id = $1 order by project_id, id limit $2) oldest
               where bytes_before < $3))
           returning id, micros(received_at) as received_at, payload, size_bytes`,
    values: [projectId, limit, MAX_BATCH_BYTES],
  })
  const sizeBytes = rows.reduce((sum, row) => sum + row.size_bytes, 0)
  return {
    turns: rows
      .map(turnOf)
      .sort((one, other) => Number(one.operationId) - Number(other.operationId)),
    isDrained: rows.length < limit && sizeBytes < MAX_BATCH_BYTES,
  }
}

export async function takeOneFromInbox(
  sql: Sql,
  projectId: number,
  operationId: string,
): Promise<Turn | undefined> {
  const rows = await sql.query<InboxRecord>({
    text: `delete from inbox where project_id = $1 and id = $2
           returning id, micros(received_at) as received_at, payload, size_bytes`,
    values: [projectId, operationId],
  })
  return rows.map(turnOf)[0]
}

interface InboxRecord {
  id: string
  received_at: number
  payload: OperationRequest
  size_bytes: number
}

function turnOf(row: InboxRecord): Turn {
  return { operationId: row.id, receivedAt: row.received_at, request: row.payload }
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
    text: `select lane.project_id from lane
            cross join lateral (
              select from inbox where project_id = lane.project_id
               order by project_id, id limit 1) first`,
  })
  return rows.map((row) => row.project_id)
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
           select $1, n.mechanism, n.id, n.operation_id, n.operation_name, instant($6)
             from unnest($2::text[], $3::text[], $4::bigint[], $5::text[])
               n (mechanism, id, operation_id, operation_name)
            order by n.mechanism, n.id
           on conflict do nothing
           returning operation_id`,
    values: [
      projectId,
      textArray(keys.map((key) => key.mechanism)),
      textArray(keys.map((key) => key.transactionId)),
      plainArray(keys.map((key) => key.operationId)),
      textArray(keys.map((key) => key.operationName)),
      at,
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

export function finishedWrite(projectId: number, operations: FinishedOperation[]): Write {
  const column = <T>(value: (operation: FinishedOperation) => T) => operations.map(value)
  return {
    name: 'insert-finished',
    text: `insert into operation
             (project_id, id, name, kind, mode, endpoint, mechanism, transaction_id, customer_id,
              state, received_at, done_at, problems)
           select $1, n.id, n.name, n.kind, n.mode, n.endpoint, n.mechanism, n.transaction_id,
                  n.customer_id, n.state, instant(n.received_at), instant(n.done_at), n.problems
             from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                         $8::text[], $9::bigint[], $10::text[], $11::bigint[], $12::bigint[],
                         $13::jsonb[])
               n (id, name, kind, mode, endpoint, mechanism, transaction_id, customer_id, state,
                  received_at, done_at, problems)`,
    values: [
      projectId,
      plainArray(column((operation) => operation.operationId)),
      textArray(column((operation) => operation.request.name)),
      plainArray(column((operation) => operation.request.kind)),
      plainArray(column((operation) => operation.request.mode)),
      textArray(column((operation) => operation.request.endpoint)),
      textArray(column((operation) => operation.request.mechanism)),
      textArray(column((operation) => operation.request.transactionId)),
      plainArray(column((operation) => operation.customerId)),
      plainArray(column((operation) => operation.state)),
      plainArray(column((operation) => operation.receivedAt)),
      plainArray(column((operation) => operation.doneAt)),
      textArray(column(({ problems }) => problems && JSON.stringify(problems))),
    ],
  }
}
