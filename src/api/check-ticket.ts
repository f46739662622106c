import { CUSTOMER_ID, parseEmail, parsePhone, type TicketHolder } from '#customers'
import type { DocumentNode } from '#formats/document'
import { type TicketMessage, verifyTicket } from '#formats/signature'
import type { Project } from '#projects'
import type { Admission } from './admit.ts'
import { type Answer, protocolError } from './answers.ts'

export type TicketOutcome =
  | { kind: 'checked'; holder: TicketHolder | null }
  | { kind: 'refused'; answer: Answer }

/** Whom the ticket in a document names, if one is there. A ticket that is sent must be good. */
export function checkTicket(root: DocumentNode, admission: Admission, now: Date): TicketOutcome {
  const { operation, endpoint, hasKey } = admission
  const { kind, authentication } = operation.definition
  if (kind !== 'editCustomer') return { kind: 'checked', holder: null }
  const ticket = ticketIn(root)
  if (ticket === '') {
    const isNeeded =
      authentication === 'ticket' || (authentication === 'secretKeyOrTicket' && !hasKey)
    if (!isNeeded) return { kind: 'checked', holder: null }
    return refused(
      401,
      `send an authenticationTicket${authentication === 'ticket' ? '' : ' or a secret key'}`,
    )
  }
  const { project } = endpoint
  const keys = endpoint.keys.map((key) => key.value)
  const verified = verifyTicket({ ticket, keys, signingKey: project.signingKey, now })
  if (verified.kind !== 'valid') return refused(403, REFUSALS[verified.kind])
  const holder = holderOf(verified.subject, project)
  if (holder === undefined) return refused(403, 'the ticket names a customer in a way unknown here')
  return { kind: 'checked', holder }
}

const REFUSALS = {
  malformed: 'the ticket is malformed',
  wrongSignature: 'the ticket is not signed with a live secret key of this endpoint',
  expired: 'the ticket has expired',
  notYetValid: 'the ticket is from the future; check the clock of the server that makes it',
} as const

function ticketIn(root: DocumentNode): string {
  const customer = root.children.find((child) => child.name === 'customer')
  const ticket = customer?.children.find((child) => child.name === 'authenticationTicket')
  return ticket?.text.trim() ?? ''
}

function holderOf(subject: TicketMessage, project: Project): TicketHolder | undefined {
  switch (subject.kind) {
    case 'secretLink':
      return { kind: 'customer', customerId: subject.customerId }
    case 'externalIdentity': {
      const { idKind, id } = subject
      if (idKind === CUSTOMER_ID) return { kind: 'customer', customerId: id }
      return project.identifierKinds.has(idKind)
        ? { kind: 'identifier', idKind, value: id.trim() }
        : undefined
    }
    case 'email': {
      const email = parseEmail(subject.email)
      return email === null ? undefined : { kind: 'email', email }
    }
    case 'mobilePhone': {
      const mobilePhone = parsePhone(subject.digits, project.definition.defaultCountry)
      return mobilePhone === null ? undefined : { kind: 'mobilePhone', mobilePhone }
    }
  }
}

function refused(httpStatus: 401 | 403, message: string): TicketOutcome {
  return { kind: 'refused', answer: protocolError(httpStatus, message) }
}
