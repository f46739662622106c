import { type HistoryRow, isoOf } from '#history'
import type { Message } from './message.ts'

/** The published states of a new message and of its first status. */
export function messageRows(message: Message, mailingId: string | undefined): HistoryRow[] {
  const at = message.createdAt
  const shared = {
    messageId: message.id,
    unmergedCustomerId: message.customerId,
    mailingInternalId: mailingId ?? null,
    mailingVariantNum: null,
    _isDeleted: false,
  }
  return [
    {
      table: 'Mailings.CustomerMessages',
      at,
      state: {
        ...shared,
        channel: message.channel,
        operationId: message.operationId,
        transactionId: message.transactionId,
        creationDateTimeUtc: isoOf(at),
      },
    },
    {
      table: 'Mailings.CustomerMessagesStatuses',
      at,
      state: {
        ...shared,
        messageStatusId: message.statusId,
        mailingStatusSystemName: 'Queued',
        dateTimeUtc: isoOf(at),
        mailingLink: null,
        notSentSystemName: null,
        notDeliveredReasonSystemName: null,
      },
    },
  ]
}
