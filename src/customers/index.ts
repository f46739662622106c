export { applyRequest, type Processing, type RequestOutcome } from './apply-request.ts'
export {
  type Contact,
  CUSTOMER_ID,
  type Customer,
  type FieldValue,
  type Subscription,
} from './customer.ts'
export type { CustomerRequest, Problem, SentIdentifier, TicketHolder } from './customer-request.ts'
export { parseEmail } from './email.ts'
export { type Erased, eraseCustomer } from './erase-customer.ts'
export {
  lengthOf,
  MAX_LIST_ITEMS,
  MAX_NAME_LENGTH,
  MAX_STRING_LENGTH,
  parseBoolean,
  parseDate,
  parseFieldValue,
  parseScalar,
} from './field-value.ts'
export { loadWorkspace } from './load-workspace.ts'
export { PasswordHasher } from './password.ts'
export { parsePhone } from './phone.ts'
export { saveWorkspace } from './save-workspace.ts'
export { isSubscribed } from './subscriptions.ts'
export { Workspace } from './workspace.ts'
