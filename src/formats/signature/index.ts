export {
  makeSecretLinkTicket,
  makeTicket,
  type ReadTicketOutcome,
  readTicket,
  type TicketToVerify,
  type VerifyTicketOutcome,
  verifyTicket,
} from './ticket.ts'
export type { SecretLink, TicketMessage } from './ticket-message.ts'
