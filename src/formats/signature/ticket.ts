import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  readTicketMessage,
  type SecretLink,
  type TicketMessage,
  writeTicketMessage,
} from './ticket-message.ts'

const MAX_TICKET_LENGTH = 8 * 1024
const SIGNATURE_BYTES = 64
const LIFE_MS = 30 * 60 * 1000
/** How far ahead of ours the clock of the server that made the ticket may be. */
const CLOCK_SKEW_MS = 2 * 60 * 1000

export type ReadTicketOutcome =
  | { kind: 'ticket'; message: TicketMessage; signedBytes: Buffer; signature: Buffer }
  | { kind: 'malformed' }

export type VerifyTicketOutcome =
  | { kind: 'valid'; subject: TicketMessage }
  | { kind: 'malformed' | 'wrongSignature' | 'expired' | 'notYetValid' }

export interface TicketToVerify {
  ticket: string
  /** The live secret keys of the endpoint. */
  keys: readonly (string | Buffer)[]
  /** The project's own key, under which only secret links are signed; null: it has none. */
  signingKey: string | Buffer | null
  now: Date
}

/** Takes a ticket apart. Nothing of it is to be believed before it is verified. */
export function readTicket(text: string): ReadTicketOutcome {
  if (text.length > MAX_TICKET_LENGTH) return { kind: 'malformed' }
  const parts = /^((?:[0-9a-fA-F]{2})+)\|([0-9a-fA-F]+)$/.exec(text)
  if (parts === null) return { kind: 'malformed' }
  const [, messageHex = '', signatureHex = ''] = parts
  if (signatureHex.length !== SIGNATURE_BYTES * 2) return { kind: 'malformed' }
  const signedBytes = Buffer.from(messageHex, 'hex')
  const message = readTicketMessage(signedBytes)
  if (message === null) return { kind: 'malformed' }
  return { kind: 'ticket', message, signedBytes, signature: Buffer.from(signatureHex, 'hex') }
}

/** A signature is judged before the instants, so that a stranger learns nothing by trying them. */
export function verifyTicket({
  ticket,
  keys,
  signingKey,
  now,
}: TicketToVerify): VerifyTicketOutcome {
  const read = readTicket(ticket)
  if (read.kind === 'malformed') return read
  const { message } = read
  const allowedKeys = message.kind === 'secretLink' ? [signingKey ?? ''] : keys
  if (!isSignedByOneOf(allowedKeys, read.signedBytes, read.signature)) {
    return { kind: 'wrongSignature' }
  }
  if (message.kind === 'secretLink') {
    return now >= message.expiresAt ? { kind: 'expired' } : { kind: 'valid', subject: message }
  }
  const ageMs = now.getTime() - message.at.getTime()
  if (ageMs > LIFE_MS) return { kind: 'expired' }
  if (ageMs < -CLOCK_SKEW_MS) return { kind: 'notYetValid' }
  return { kind: 'valid', subject: message }
}

export function makeTicket(message: TicketMessage, key: string | Buffer): string {
  const signedBytes = Buffer.from(writeTicketMessage(message), 'utf8')
  return `${signedBytes.toString('hex')}|${signatureOf(signedBytes, key).toString('hex')}`
}

export function makeSecretLinkTicket(
  link: Omit<SecretLink, 'kind'>,
  signingKey: string | Buffer,
): string {
  return makeTicket({ kind: 'secretLink', ...link }, signingKey)
}

/** Every key is tried, so that the time tells neither which of them fits nor how far one did. */
function isSignedByOneOf(
  keys: readonly (string | Buffer)[],
  signedBytes: Buffer,
  signature: Buffer,
): boolean {
  let isSigned = false
  for (const key of keys) {
    const isEqual = timingSafeEqual(signatureOf(signedBytes, key), signature)
    // Anybody can sign with an empty key.
    if (isEqual && key.length > 0) isSigned = true
  }
  return isSigned
}

function signatureOf(signedBytes: Buffer, key: string | Buffer): Buffer {
  return createHmac('sha512', key).update(signedBytes).digest()
}
