export {
  contactOf,
  type Message,
  type MessageRequest,
  type MessageStatus,
  type ParameterValue,
  queueMessage,
} from './message.ts'
export { messageRows } from './message-rows.ts'
export {
  eraseMessages,
  type MessageReport,
  messagesWrite,
  queuedStatusesWrite,
  readMessagesOf,
} from './messages-store.ts'
