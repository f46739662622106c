import { plainArray, type Sql, textArray, type Write } from '#platform/database'
import type { Customer } from './customer.ts'
import type { CustomerName } from './customer-name.ts'

export async function deleteNames(
  sql: Sql,
  projectId: number,
  names: CustomerName[],
): Promise<void> {
  await sql.query({
    text: `delete from customer_name c
            using unnest($2::text[], $3::text[]) n (kind, key)
            where c.project_id = $1 and c.kind = n.kind and c.key = n.key`,
    values: [
      projectId,
      textArray(names.map((name) => name.kind)),
      textArray(names.map((name) => name.key)),
    ],
  })
}

export function namesWrite(
  projectId: number,
  given: { name: CustomerName; customer: Customer }[],
): Write {
  return {
    name: 'insert-names',
    text: `insert into customer_name (project_id, kind, key, customer_id)
           select $1, n.kind, n.key, n.customer_id
             from unnest($2::text[], $3::text[], $4::bigint[]) n (kind, key, customer_id)`,
    values: [
      projectId,
      textArray(given.map(({ name }) => name.kind)),
      textArray(given.map(({ name }) => name.key)),
      plainArray(given.map(({ customer }) => customer.id)),
    ],
  }
}
