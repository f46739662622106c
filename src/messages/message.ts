import type { Instant, RecordIds } from '#history'
import type { Channel } from '#projects'

/** A parameter's value in its canonical spelling; lists hold one per item. */
export type ParameterValue = string | string[]

/** The message an operation asks for, its mailing chosen and its parameters checked. */
export interface MessageRequest {
  mailing: string
  channel: Channel
  parameters: Record<string, ParameterValue>
}

export type MessageStatus =
  | 'Queued'
  | 'Sent'
  | 'Unknown'
  | 'Delivered'
  | 'NotDelivered'
  | 'Opened'
  | 'Clicked'
  | 'Unsubscribed'
  | 'Complained'
  | 'NotSent'

export interface Message {
  id: string
  statusId: string
  customerId: string
  mailing: string
  channel: Channel
  address: string
  parameters: Record<string, ParameterValue>
  operationId: string
  transactionId: string | null
  createdAt: Instant
}

/** Where a channel sends to. */
export function contactOf(channel: Channel): 'email' | 'mobilePhone' {
  return channel === 'Email' ? 'email' : 'mobilePhone'
}

/** Makes the message. Address and parameters are fixed from now on; it waits as `Queued`. */
export function queueMessage(ids: RecordIds, message: Omit<Message, 'id' | 'statusId'>): Message {
  return { ...message, id: ids.take(), statusId: ids.take() }
}
