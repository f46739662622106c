const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TRANSACTION_ID = /^[\P{C}]{1,255}$/u

export type QueryOutcome =
  | { kind: 'read'; deviceUuid: string | null; transactionId: string | null }
  | { kind: 'wrong'; message: string }

/** The parts of a call's address that say who and once, beside the endpoint and the operation. */
export function readQuery(
  query: Record<string, unknown>,
  idempotencyKey: string | string[] | undefined,
): QueryOutcome {
  const misspelt = Object.keys(query).find(isMisspelt)
  if (misspelt !== undefined) return wrong('a parameter of the query is spelt with other capitals')
  const deviceUuid = query.deviceUUID ?? null
  if (deviceUuid !== null && (typeof deviceUuid !== 'string' || !UUID.test(deviceUuid))) {
    return wrong('deviceUUID must be a UUID such as 5ad03466-a2d3-4b3e-9ebc-0ef3a8cd2a4b')
  }
  const transaction = readTransactionId([query.transactionId, query.transactiondId, idempotencyKey])
  if (transaction.kind === 'wrong') return transaction
  return {
    kind: 'read',
    deviceUuid: deviceUuid?.toLowerCase() ?? null,
    transactionId: transaction.id,
  }
}

const PARAMETERS = new Set([
  'endpointId',
  'operation',
  'deviceUUID',
  'transactionId',
  'transactiondId',
])
const FOLDED = new Set([...PARAMETERS].map((name) => name.toLowerCase()))

/** Unknown parameters are let through; one that was surely meant would be lost silently. */
function isMisspelt(name: string): boolean {
  return !PARAMETERS.has(name) && FOLDED.has(name.toLowerCase())
}

function readTransactionId(
  spellings: unknown[],
): { kind: 'read'; id: string | null } | { kind: 'wrong'; message: string } {
  const sent = spellings.filter((value) => value !== undefined)
  const [id = null] = sent
  if (sent.some((value) => value !== id)) {
    return wrong('transactionId, transactiondId and Idempotency-Key differ')
  }
  if (id === null) return { kind: 'read', id }
  if (typeof id !== 'string' || !isTransactionId(id)) {
    return wrong('the transaction id must be 1 to 255 printable characters')
  }
  return { kind: 'read', id }
}

export function isTransactionId(text: string): boolean {
  return TRANSACTION_ID.test(text) && text.isWellFormed() && text.trim() !== ''
}

function wrong(message: string): { kind: 'wrong'; message: string } {
  return { kind: 'wrong', message }
}
