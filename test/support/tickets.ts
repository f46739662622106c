import { makeTicket } from '#formats/signature'

/** A ticket for whoever has this email address, made so long ago. */
export function ticketByEmail(email: string, key: string, ageS = 0): string {
  return makeTicket({ kind: 'email', email, at: secondsAgo(ageS) }, key)
}

export function ticketByPhone(digits: string, key: string, ageS = 0): string {
  return makeTicket({ kind: 'mobilePhone', digits, at: secondsAgo(ageS) }, key)
}

export function ticketById(idKind: string, id: string, key: string, ageS = 0): string {
  return makeTicket({ kind: 'externalIdentity', idKind, id, at: secondsAgo(ageS) }, key)
}

export function secondsAgo(seconds: number): Date {
  return new Date(Date.now() - seconds * 1000)
}
