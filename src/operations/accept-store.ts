import type { Sql } from '#platform/database'
import type { OperationRequest } from './operation.ts'

/**
 * Registers the transactions of a batch and puts its operations into the inbox, with the journal of
 * both, in one statement. Answers for each request, in their order, whether it was accepted; the
 * others name a transaction that is registered already.
 *
 * Keys are inserted in their order so that two batches can never wait for each other. Operations are
 * numbered in the order of the requests: the subquery is sorted before `nextval` sees it.
 */
export async function acceptAll(
  sql: Sql,
  projectId: number,
  requests: OperationRequest[],
): Promise<boolean[]> {
  const column = (value: (request: OperationRequest) => string | null) => requests.map(value)
  const rows = await sql.query<{ position: string }>({
    name: 'accept-all',
    text: `
      with moment as materialized (
        select greatest(wall_clock(), max(cut_at)) as at from history_cut where project_id = $1
      ), numbered as materialized (
        select nextval('operation_id') as id, o.*, moment.at
          from (select * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                                     $7::json[]) with ordinality
                  r (name, kind, endpoint, mechanism, transaction_id, payload, position)
                order by position) o, moment
      ), registered as (
        insert into registered_transaction
          (project_id, mechanism, id, operation_id, operation_name, registered_at)
        select $1, mechanism, transaction_id, id, name, at
          from numbered where transaction_id is not null
          order by mechanism, transaction_id
        on conflict do nothing
        returning operation_id
      ), accepted as materialized (
        select numbered.* from numbered
         where transaction_id is null or id in (select operation_id from registered)
      ), stored as (
        insert into inbox (project_id, id, received_at, payload)
        select $1, id, at, payload from accepted
      ), journal as (
        insert into history (project_id, table_name, at, state)
        select $1, 'CDP.Operations', at, jsonb_build_object(
                 'id', id::text, 'operationSystemName', name, 'kind', kind, 'mode', 'async',
                 'endpointSystemName', endpoint, 'transactionId', transaction_id,
                 'unmergedCustomerId', null, 'state', 'Accepted', 'receivedDateTimeUtc', at,
                 'doneDateTimeUtc', null, 'errorMessage', null, '_isDeleted', false)
          from accepted
        union all
        select $1, 'Mailings.Transactions', at, jsonb_build_object(
                 'transactionId', transaction_id, 'mechanism', mechanism,
                 'operationId', id::text, 'operationSystemName', name,
                 'registeredDateTimeUtc', at, '_isDeleted', false)
          from accepted where transaction_id is not null
      )
      select position from accepted`,
    values: [
      projectId,
      column((request) => request.name),
      column((request) => request.kind),
      column((request) => request.endpoint),
      column((request) => request.mechanism),
      column((request) => request.transactionId),
      column((request) => JSON.stringify(request)),
    ],
  })
  const isAccepted = new Array<boolean>(requests.length).fill(false)
  for (const row of rows) isAccepted[Number(row.position) - 1] = true
  return isAccepted
}
