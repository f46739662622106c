import { type Database, jsonLines, textArray } from '#platform/database'
import type { OperationRequest } from './operation.ts'
import { acceptedState, registeredState } from './operation-rows.ts'

/** The numbers of a batch come from one block of the sequence. */
export const MAX_ACCEPTED_AT_ONCE = 100

/**
 * Registers the transactions of a batch and puts its operations into the inbox, with the journal of
 * both, in one statement that is a transaction of its own. Answers for each request, in their order, whether it was accepted; the
 * others name a transaction that is registered already.
 *
 * Keys are inserted in their order so that two batches can never wait for each other. Operations are
 * numbered in the order of the requests, from one block of numbers, which is why a batch has a limit. The
 * states come as text with their number and instant missing, which is less work than building them here.
 */
export async function acceptAll(
  database: Database,
  projectId: number,
  requests: OperationRequest[],
): Promise<boolean[]> {
  const column = <T>(value: (request: OperationRequest) => T) => requests.map(value)
  const rows = await database.commit<{ position: string }>({
    name: 'accept-all',
    text: `
      with moment as materialized (
        select at, to_json(at)::text as text from writing_instant($1) at
      ), block as materialized (
        select nextval('record_id') as first
      ), numbered as materialized (
        select block.first + r.position - 1 as id, r.*, moment.at, moment.text as moment
          from unnest($2::text[], $3::text[], $4::text[],
                      string_to_array($5, E'\\n'), string_to_array($6, E'\\n'),
                      string_to_array($7, E'\\n')) with ordinality
                 r (name, mechanism, transaction_id, payload, operation_state, transaction_state,
                    position), block, moment
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
        insert into inbox (project_id, id, received_at, payload, size_bytes)
        select $1, id, at, payload::json, octet_length(payload) from accepted
      ), journal as (
        insert into history (project_id, table_name, at, state)
        select $1, 'CDP.Operations', at,
               ('{"id":"' || id || '","receivedDateTimeUtc":' || moment || ',' ||
                operation_state)::json
          from accepted
        union all
        select $1, 'Mailings.Transactions', at,
               ('{"operationId":"' || id || '","registeredDateTimeUtc":' || moment || ',' ||
                transaction_state)::json
          from accepted where transaction_id is not null
      )
      select position from numbered where id not in (select id from accepted)`,
    values: [
      projectId,
      textArray(column((request) => request.name)),
      textArray(column((request) => request.mechanism)),
      textArray(column((request) => request.transactionId)),
      jsonLines(requests),
      column(acceptedState).map(withoutBrace).join('\n'),
      column(registeredState).map(withoutBrace).join('\n'),
    ],
  })
  const isAccepted = new Array<boolean>(requests.length).fill(true)
  for (const row of rows) isAccepted[Number(row.position) - 1] = false
  return isAccepted
}

/** The rest of a JSON object, to be put behind members that only the database knows. */
function withoutBrace(state: object): string {
  return JSON.stringify(state).slice(1)
}
