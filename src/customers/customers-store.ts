import { jsonLines, plainArray, type Sql, textArray, type Write } from '#platform/database'
import type { Customer, Device, FieldValue, Identifier, Subscription } from './customer.ts'
import type { CustomerName } from './customer-name.ts'

/** Everything a batch names customers by. */
export interface Names {
  names: CustomerName[]
  customerIds: string[]
  deviceUuids: string[]
}

interface CustomerRecord {
  id: string
  email: string | null
  mobile_phone: string | null
  last_name: string | null
  first_name: string | null
  birth_date: string | null
  password_hash: string | null
  custom_fields: Record<string, FieldValue>
  subscriptions: Subscription[]
  identifiers: Identifier[]
  created_at: number
  changed_at: number
  touched_at: number
}

const SELECT_CUSTOMER = `
  select c.id, c.email, c.mobile_phone, c.last_name, c.first_name, c.birth_date::text as birth_date,
         c.password_hash, c.identifiers, c.custom_fields, c.subscriptions,
         micros(c.created_at) as created_at, micros(c.changed_at) as changed_at,
         micros(c.touched_at) as touched_at
    from customer c`

/**
 * One statement finds every customer a batch names. The lateral subqueries make it look each name up by
 * its index; left to itself the planner may read a whole table for a batch.
 */
export async function loadCustomers(
  sql: Sql,
  projectId: number,
  { names, customerIds, deviceUuids }: Names,
): Promise<Customer[]> {
  const rows = await sql.query<CustomerRecord>({
    name: 'load-customers',
    text: `
      with named as (
        select found.customer_id
          from unnest($2::text[], $3::text[]) n (kind, key)
          cross join lateral (
            select customer_id from customer_name
             where project_id = $1 and kind = n.kind and key = n.key limit 1) found
        union
        select coalesce(
                 (select survivor_id from customer_merge
                   where project_id = $1 and absorbed_id = n.id), n.id)
          from unnest($4::bigint[]) n (id)
        union
        select d.customer_id from unnest($5::uuid[]) n (uuid)
          cross join lateral (
            select customer_id from customer_device
             where project_id = $1 and device_uuid = n.uuid limit 1) d
      )
      select c.* from named
       cross join lateral (${SELECT_CUSTOMER}
        where c.project_id = $1 and c.id = named.customer_id limit 1) c`,
    values: [
      projectId,
      textArray(names.map((name) => name.kind)),
      textArray(names.map((name) => name.key)),
      plainArray(customerIds),
      plainArray(deviceUuids),
    ],
  })
  return rows.map(customerOf)
}

export async function loadCustomer(
  sql: Sql,
  projectId: number,
  id: string,
): Promise<Customer | undefined> {
  const rows = await sql.query<CustomerRecord>({
    text: `${SELECT_CUSTOMER} where c.project_id = $1 and c.id = $2`,
    values: [projectId, id],
  })
  return rows.map(customerOf)[0]
}

function customerOf(row: CustomerRecord): Customer {
  return {
    id: row.id,
    email: row.email,
    mobilePhone: row.mobile_phone,
    lastName: row.last_name,
    firstName: row.first_name,
    birthDate: row.birth_date,
    passwordHash: row.password_hash,
    customFields: row.custom_fields,
    subscriptions: row.subscriptions,
    identifiers: row.identifiers,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    touchedAt: row.touched_at,
  }
}

export async function loadSurvivors(
  sql: Sql,
  projectId: number,
  ids: string[],
): Promise<{ absorbedId: string; survivorId: string }[]> {
  return await sql.query({
    name: 'load-survivors',
    text: `select absorbed_id as "absorbedId", survivor_id as "survivorId"
             from customer_merge where project_id = $1 and absorbed_id = any ($2::bigint[])`,
    values: [projectId, ids],
  })
}

export async function loadDevices(sql: Sql, projectId: number, uuids: string[]): Promise<Device[]> {
  const rows = await sql.query<{
    device_uuid: string
    customer_id: string
    first_at: number
    last_at: number
  }>({
    name: 'load-devices',
    text: `select device_uuid, customer_id,
                  micros(first_seen_at) as first_at,
                  micros(last_seen_at) as last_at
             from customer_device where project_id = $1 and device_uuid = any ($2::uuid[])`,
    values: [projectId, uuids],
  })
  return rows.map((row) => ({
    uuid: row.device_uuid,
    customerId: row.customer_id,
    firstSeenAt: row.first_at,
    lastSeenAt: row.last_at,
  }))
}

const CUSTOMER_COLUMNS = `
  unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::date[], $8::text[],
         string_to_array($9, E'\\n'), string_to_array($10, E'\\n'),
         string_to_array($11, E'\\n'), $12::bigint[], $13::bigint[], $14::bigint[])
    n (id, email, mobile_phone, last_name, first_name, birth_date, password_hash, identifiers,
       custom_fields, subscriptions, created_at, changed_at, touched_at)`

export function newCustomersWrite(projectId: number, customers: Customer[]): Write {
  return {
    name: 'insert-customers',
    text: `insert into customer
             (project_id, id, email, mobile_phone, last_name, first_name, birth_date,
              password_hash, identifiers, custom_fields, subscriptions, created_at, changed_at,
              touched_at)
           select $1, n.id, n.email, n.mobile_phone, n.last_name, n.first_name, n.birth_date,
                  n.password_hash, n.identifiers::jsonb, n.custom_fields::jsonb,
                  n.subscriptions::jsonb, instant(n.created_at), instant(n.changed_at),
                  instant(n.touched_at)
             from ${CUSTOMER_COLUMNS}`,
    values: [projectId, ...customerColumns(customers)],
  }
}

export function changedCustomersWrite(projectId: number, customers: Customer[]): Write {
  return {
    name: 'update-customers',
    text: `update customer c
              set email = n.email, mobile_phone = n.mobile_phone, last_name = n.last_name,
                  first_name = n.first_name, birth_date = n.birth_date,
                  password_hash = n.password_hash, identifiers = n.identifiers::jsonb,
                  custom_fields = n.custom_fields::jsonb, subscriptions = n.subscriptions::jsonb,
                  changed_at = instant(n.changed_at), touched_at = instant(n.touched_at)
             from ${CUSTOMER_COLUMNS}
            where c.project_id = $1 and c.id = n.id`,
    values: [projectId, ...customerColumns(customers)],
  }
}

function customerColumns(customers: Customer[]): string[] {
  const column = <T>(value: (customer: Customer) => T) => customers.map(value)
  return [
    plainArray(column((c) => c.id)),
    textArray(column((c) => c.email)),
    plainArray(column((c) => c.mobilePhone)),
    textArray(column((c) => c.lastName)),
    textArray(column((c) => c.firstName)),
    plainArray(column((c) => c.birthDate)),
    textArray(column((c) => c.passwordHash)),
    jsonLines(column((c) => c.identifiers)),
    jsonLines(column((c) => c.customFields)),
    jsonLines(column((c) => c.subscriptions)),
    plainArray(column((c) => c.createdAt)),
    plainArray(column((c) => c.changedAt)),
    plainArray(column((c) => c.touchedAt)),
  ]
}

export async function deleteCustomers(sql: Sql, projectId: number, ids: string[]): Promise<void> {
  await sql.query({
    text: `delete from customer where project_id = $1 and id = any ($2::bigint[])`,
    values: [projectId, ids],
  })
}

export function devicesWrite(projectId: number, devices: Device[]): Write {
  return {
    name: 'upsert-devices',
    text: `insert into customer_device
             (project_id, device_uuid, customer_id, first_seen_at, last_seen_at)
           select $1, n.uuid, n.customer_id, instant(n.first_seen_at), instant(n.last_seen_at)
             from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[])
               n (uuid, customer_id, first_seen_at, last_seen_at)
           on conflict (project_id, device_uuid) do update
             set customer_id = excluded.customer_id, last_seen_at = excluded.last_seen_at`,
    values: [
      projectId,
      plainArray(devices.map((device) => device.uuid)),
      plainArray(devices.map((device) => device.customerId)),
      plainArray(devices.map((device) => device.firstSeenAt)),
      plainArray(devices.map((device) => device.lastSeenAt)),
    ],
  }
}
