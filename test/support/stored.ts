import type { Sql } from '#platform/database'

/** A customer as the tables hold it. */
export interface StoredCustomer {
  id: string
  email: string | null
  mobilePhone: string | null
  lastName: string | null
  firstName: string | null
  birthDate: string | null
  passwordHash: string | null
  customFields: Record<string, string | string[]>
  subscriptions: { channel: string | null; topic: string | null; isSubscribed: boolean }[]
  ids: Record<string, string>
  devices: string[]
}

export async function storedCustomer(sql: Sql, id: string): Promise<StoredCustomer | undefined> {
  const [customer] = await sql.query<StoredCustomer>({
    text: `select c.id, c.email, c.mobile_phone as "mobilePhone", c.last_name as "lastName",
                  c.first_name as "firstName", c.birth_date::text as "birthDate",
                  c.password_hash as "passwordHash", c.custom_fields as "customFields",
                  c.subscriptions,
                  coalesce((select jsonb_object_agg(i.kind, i.value) from customer_identifier i
                     where i.project_id = c.project_id and i.customer_id = c.id), '{}') as ids,
                  array(select d.device_uuid::text from customer_device d
                     where d.project_id = c.project_id and d.customer_id = c.id) as devices
             from customer c where c.id = $1`,
    values: [id],
  })
  return customer
}

export async function countOf(sql: Sql, table: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>({
    text: `select count(*)::int as count from ${table}`,
  })
  return row?.count ?? 0
}

/** Every row of a table as one text, to look for what must not be there. */
export async function textOfTable(sql: Sql, table: string): Promise<string> {
  const rows = await sql.query<{ text: string }>({ text: `select t::text as text from ${table} t` })
  return rows.map((row) => row.text).join('\n')
}
