import type { Sql } from '#platform/database'
import type { Device } from './customer.ts'
import type { Merge } from './workspace.ts'

export async function loadDevicesOf(
  sql: Sql,
  projectId: number,
  customerId: string,
): Promise<Device[]> {
  return await sql.query<Device>({
    text: `select device_uuid as uuid, customer_id as "customerId",
                  micros(first_seen_at) as "firstSeenAt",
                  micros(last_seen_at) as "lastSeenAt"
             from customer_device where project_id = $1 and customer_id = $2`,
    values: [projectId, customerId],
  })
}

export async function loadMergesOf(
  sql: Sql,
  projectId: number,
  survivorId: string,
): Promise<Merge[]> {
  return await sql.query<Merge>({
    text: `select absorbed_id as "absorbedId", survivor_id as "survivorId",
                  micros(at) as at
             from customer_merge where project_id = $1 and survivor_id = $2`,
    values: [projectId, survivorId],
  })
}

export async function deleteDevicesOf(
  sql: Sql,
  projectId: number,
  customerId: string,
): Promise<void> {
  await sql.query({
    text: `delete from customer_device where project_id = $1 and customer_id = $2`,
    values: [projectId, customerId],
  })
}

export async function deleteMergesOf(
  sql: Sql,
  projectId: number,
  survivorId: string,
): Promise<void> {
  await sql.query({
    text: `delete from customer_merge where project_id = $1 and survivor_id = $2`,
    values: [projectId, survivorId],
  })
}
