import { plainArray, type Sql, textArray, type Write } from '#platform/database'
import type { Customer, Identifier } from './customer.ts'

export async function deleteIdentifiers(
  sql: Sql,
  projectId: number,
  identifiers: { kind: string; value: string }[],
): Promise<void> {
  await sql.query({
    text: `delete from customer_identifier i
            using unnest($2::text[], $3::text[]) n (kind, value)
            where i.project_id = $1 and i.kind = n.kind and i.value = n.value`,
    values: [
      projectId,
      identifiers.map((identifier) => identifier.kind),
      identifiers.map((identifier) => identifier.value),
    ],
  })
}

export function identifiersWrite(
  projectId: number,
  added: { identifier: Identifier; customer: Customer }[],
): Write {
  const column = <T>(value: (one: { identifier: Identifier; customer: Customer }) => T) =>
    added.map(value)
  return {
    name: 'insert-identifiers',
    text: `insert into customer_identifier
             (project_id, kind, value, customer_id, id, historical_customer_id,
              historical_created_at)
           select $1, n.kind, n.value, n.customer_id, n.id, n.historical_customer_id,
                  instant(n.historical_created_at)
             from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
                         $7::bigint[])
               n (kind, value, customer_id, id, historical_customer_id, historical_created_at)`,
    values: [
      projectId,
      textArray(column((one) => one.identifier.kind)),
      textArray(column((one) => one.identifier.value)),
      plainArray(column((one) => one.customer.id)),
      plainArray(column((one) => one.identifier.id)),
      plainArray(column((one) => one.identifier.historicalCustomerId)),
      plainArray(column((one) => one.identifier.historicalCreatedAt)),
    ],
  }
}
