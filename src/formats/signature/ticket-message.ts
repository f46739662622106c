import { isUtf8 } from 'node:buffer'

/**
 * What a ticket says: who its bearer is, and from when it holds. The first three kinds are made by a
 * project's own servers, a secret link by this service.
 */
export type TicketMessage =
  | { kind: 'externalIdentity'; idKind: string; id: string; at: Date }
  | { kind: 'email'; email: string; at: Date }
  | { kind: 'mobilePhone'; digits: string; at: Date }
  | SecretLink

export interface SecretLink {
  kind: 'secretLink'
  customerId: string
  /** The mailing whose message had the link in it, if it is known. */
  mailing?: string
  expiresAt: Date
}

/** The text that is signed. Its instants have whole seconds, so a fraction is lost. */
export function writeTicketMessage(message: TicketMessage): string {
  switch (message.kind) {
    case 'externalIdentity':
      return `${EXTERNAL_IDENTITY}|${message.idKind}|${message.id}|${writeInstant(message.at)}`
    case 'email':
      return `${EMAIL}|${message.email}|${writeInstant(message.at)}`
    case 'mobilePhone':
      return `${MOBILE_PHONE}|${message.digits}|${writeInstant(message.at)}`
    case 'secretLink': {
      const { customerId, mailing = '', expiresAt } = message
      return `${SECRET_LINK}|${customerId}|${mailing}|${writeInstant(expiresAt)}`
    }
  }
}

/** Null: not a message of a ticket. */
export function readTicketMessage(bytes: Buffer): TicketMessage | null {
  if (!isUtf8(bytes)) return null
  const text = bytes.toString('utf8')
  // The kind is before the first bar and the instant after the last, because an id and the name in an
  // email address may have bars in them.
  const first = text.indexOf('|')
  const last = text.lastIndexOf('|')
  if (first === last || text.includes('\0')) return null
  const instant = readInstant(text.slice(last + 1))
  if (instant === null) return null
  return messageOf(text.slice(0, first), text.slice(first + 1, last), instant)
}

const EXTERNAL_IDENTITY = 'ExternalIdentityAuthentication'
const EMAIL = 'EmailAuthenticationHex'
const MOBILE_PHONE = 'MobilePhoneAuthenticationHex'
const SECRET_LINK = 'SecretLinkAuthentication'

function messageOf(kind: string, subject: string, instant: Date): TicketMessage | null {
  if (subject === '') return null
  switch (kind) {
    case EXTERNAL_IDENTITY:
      return externalIdentityOf(subject, instant)
    case EMAIL:
      return { kind: 'email', email: subject, at: instant }
    case MOBILE_PHONE:
      return /^[0-9]+$/.test(subject) ? { kind: 'mobilePhone', digits: subject, at: instant } : null
    case SECRET_LINK:
      return secretLinkOf(subject, instant)
    default:
      return null
  }
}

function externalIdentityOf(subject: string, at: Date): TicketMessage | null {
  const bar = subject.indexOf('|')
  const idKind = subject.slice(0, bar)
  const id = subject.slice(bar + 1)
  if (bar < 1 || id === '') return null
  return { kind: 'externalIdentity', idKind, id, at }
}

function secretLinkOf(subject: string, expiresAt: Date): TicketMessage | null {
  const bar = subject.indexOf('|')
  const customerId = subject.slice(0, bar)
  const mailing = subject.slice(bar + 1)
  if (bar < 1 || !/^[0-9]+$/.test(customerId)) return null
  if (mailing === '') return { kind: 'secretLink', customerId, expiresAt }
  return { kind: 'secretLink', customerId, mailing, expiresAt }
}

/** `yyyy-MM-dd HH:mm:ss` in UTC. */
function writeInstant(instant: Date): string {
  return instant.toISOString().slice(0, 19).replace('T', ' ')
}

/** Null for what is in no calendar: Date would take the 30th of February for a day of March. */
function readInstant(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return null
  const instant = new Date(`${text.replace(' ', 'T')}Z`)
  if (Number.isNaN(instant.getTime())) return null
  return writeInstant(instant) === text ? instant : null
}
