import type { Database } from '#platform/database'

/** Customers as the load generator names them, put in directly: filling is not what is measured. */
export async function fillCustomers(database: Database, count: number): Promise<void> {
  await database.query({
    text: `
      with made as (
        select n, 1000000 + n as id, wall_clock() as at from generate_series(0, $1::int - 1) n
      ), customers as (
        insert into customer
          (project_id, id, email, mobile_phone, last_name, first_name, identifiers, custom_fields,
           subscriptions, created_at, changed_at, touched_at)
        select p.id, made.id, 'customer-' || n || '@example.com', (79000000000 + n)::text,
               'Petrov', 'Ivan', jsonb_build_array(jsonb_build_object(
                 'id', (10000000 + n)::text, 'kind', 'webSiteUserId', 'value', 'user-' || n,
                 'historicalCustomerId', made.id::text, 'historicalCreatedAt', micros(at))),
               '{}', '[]', at, at, at
          from made, project p
      )
      insert into customer_name (project_id, kind, key, customer_id)
      select p.id, name.kind, name.key, made.id
        from made, project p, lateral (
          values ('webSiteUserId', 'user-' || n), ('@email', 'customer-' || n || '@example.com'),
                 ('@mobilePhone', (79000000000 + n)::text)) name (kind, key)`,
    values: [count],
    timeoutMs: 600_000,
  })
  // As the record ids just used were not taken from the sequence.
  await database.query({ text: `select setval('record_id', 100000001)` })
  await database.query({ text: 'vacuum analyze customer' })
  await database.query({ text: 'vacuum analyze customer_name' })
  await database.query({ text: 'checkpoint' })
}
