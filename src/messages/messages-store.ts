import { jsonLines, plainArray, type Sql, textArray, type Write } from '#platform/database'
import type { Channel } from '#projects'
import type { Message, MessageStatus } from './message.ts'

export function messagesWrite(projectId: number, messages: Message[]): Write {
  const column = <T>(value: (message: Message) => T) => messages.map(value)
  return {
    name: 'insert-messages',
    text: `insert into message
             (project_id, id, customer_id, mailing, channel, address, parameters, operation_id,
              status, created_at)
           select $1, n.id, n.customer_id, n.mailing, n.channel, n.address, n.parameters::json,
                  n.operation_id, 'Queued', instant(n.created_at)
             from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
                         string_to_array($7, E'\\n'), $8::bigint[], $9::bigint[])
               n (id, customer_id, mailing, channel, address, parameters, operation_id,
                  created_at)`,
    values: [
      projectId,
      plainArray(column((message) => message.id)),
      plainArray(column((message) => message.customerId)),
      textArray(column((message) => message.mailing)),
      plainArray(column((message) => message.channel)),
      textArray(column((message) => message.address)),
      jsonLines(column((message) => message.parameters)),
      plainArray(column((message) => message.operationId)),
      plainArray(column((message) => message.createdAt)),
    ],
  }
}

/** The first entry of each new message's own history. */
export function queuedStatusesWrite(projectId: number, messages: Message[]): Write {
  return {
    name: 'insert-queued-statuses',
    text: `insert into message_status (project_id, message_id, id, status, at)
           select $1, n.message_id, n.id, 'Queued', instant(n.at)
             from unnest($2::bigint[], $3::bigint[], $4::bigint[]) n (message_id, id, at)`,
    values: [
      projectId,
      plainArray(messages.map((message) => message.id)),
      plainArray(messages.map((message) => message.statusId)),
      plainArray(messages.map((message) => message.createdAt)),
    ],
  }
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
