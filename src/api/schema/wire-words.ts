import type { Channel } from '#projects'

/** The closed sets of words in answers, as both schemas list them. */
export const CHANNELS: readonly Channel[] = ['Email', 'Sms', 'Viber']

export const RESULT_STATUSES = [
  'Success',
  'TransactionAlreadyProcessed',
  'ValidationError',
  'ProtocolError',
  'InternalServerError',
]

export const PROCESSING_STATUSES = [
  'Created',
  'Changed',
  'NotChanged',
  'Found',
  'Merged',
  'NotFound',
]

/** In rank, `NotSent` apart. */
export const MESSAGE_STATUSES = [
  'Queued',
  'Sent',
  'Unknown',
  'Delivered',
  'NotDelivered',
  'Opened',
  'Clicked',
  'Unsubscribed',
  'Complained',
  'NotSent',
]

export const TRANSACTION_STATES = ['Accepted', 'Done', 'Failed']
