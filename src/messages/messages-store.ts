import { isoOf } from '#history'
import type { Sql } from '#platform/database'
import type { Channel } from '#projects'
import type { Message, MessageStatus } from './message.ts'

export async function insertMessages(
  sql: Sql,
  projectId: number,
  messages: Message[],
): Promise<void> {
  const column = (value: (message: Message) => string | null) => messages.map(value)
  await sql.query({
    name: 'insert-messages',
    text: `insert into message
             (project_id, id, customer_id, mailing, channel, address, parameters, operation_id,
              status, created_at)
           select $1, n.id, n.customer_id, n.mailing, n.channel, n.address, n.parameters,
                  n.operation_id, 'Queued', n.created_at
             from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
                         $7::json[], $8::bigint[], $9::timestamptz[])
               n (id, customer_id, mailing, channel, address, parameters, operation_id,
                  created_at)`,
    values: [
      projectId,
      column((message) => message.id),
      column((message) => message.customerId),
      column((message) => message.mailing),
      column((message) => message.channel),
      column((message) => message.address),
      column((message) => JSON.stringify(message.parameters)),
      column((message) => message.operationId),
      column((message) => isoOf(message.createdAt)),
    ],
  })
}

/** The first entry of each new message's own history. */
export async function insertQueuedStatuses(
  sql: Sql,
  projectId: number,
  messages: Message[],
): Promise<void> {
  await sql.query({
    name: 'insert-queued-statuses',
    text: `insert into message_status (project_id, message_id, id, status, at)
           select $1, n.message_id, n.id, 'Queued', n.at
             from unnest($2::bigint[], $3::bigint[], $4::timestamptz[]) n (message_id, id, at)`,
    values: [
      projectId,
      messages.map((message) => message.id),
      messages.map((message) => message.statusId),
      messages.map((message) => isoOf(message.createdAt)),
    ],
  })
}

/** A message as the transaction status call shows it. */
export interface MessageReport {
  id: string
  channel: Channel
  mailing: string
  status: MessageStatus
  history: { status: MessageStatus; at: Date; reason: string | null }[]
}

export async function readMessagesOf(
  sql: Sql,
  projectId: number,
  operationId: string,
): Promise<MessageReport[]> {
  const rows = await sql.query<
    Omit<MessageReport, 'history'> & {
      entry_status: MessageStatus
      at: Date
      reason: string | null
    }
  >({
    name: 'read-messages-of',
    text: `select m.id, m.channel, m.mailing, m.status, s.status as entry_status, s.at, s.reason
             from message m
             join message_status s on s.project_id = m.project_id and s.message_id = m.id
            where m.project_id = $1 and m.operation_id = $2
            order by m.id, s.at, s.id`,
    values: [projectId, operationId],
  })
  const reports = new Map<string, MessageReport>()
  for (const { entry_status: status, at, reason, ...message } of rows) {
    const report = reports.get(message.id) ?? { ...message, history: [] }
    report.history.push({ status, at, reason })
    reports.set(message.id, report)
  }
  return [...reports.values()]
}

/** Takes the personal values out of a customer's messages. What happened to them stays. */
export async function eraseMessages(
  sql: Sql,
  projectId: number,
  customerIds: string[],
): Promise<void> {
  await sql.query({
    text: `update message set address = null, parameters = null
            where project_id = $1 and customer_id = any ($2::bigint[])`,
    values: [projectId, customerIds],
  })
}
