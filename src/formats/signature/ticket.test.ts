import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeSecretLinkTicket, makeTicket, readTicket, verifyTicket } from './ticket.ts'

const KEY = '6Y2Zp1oQmT8vR4xL'
const PROJECT_KEY = 'project-signing-key'
const AT = new Date('2026-03-01T12:00:00Z')

// Made outside of this program, with M a message and K the key:
//   printf %s "$M" | od -An -v -tx1 | tr -d ' \n'
//   printf %s "$M" | openssl dgst -sha512 -hmac "$K" -r
const BY_ID =
  '45787465726e616c4964656e7469747941757468656e7469636174696f6e7c776562536974655573657249647c3139383431327c323032362d30332d30312031323a30303a3030|d5c8b8cacf2873d06caa5b3896d51f245da84459f2b25594fc8ff7fc6fec124f31a0b9030492e1972df1d83a935925f0f3524cbf02b42c96271848c5dd7df94b'
const BY_EMAIL =
  '456d61696c41757468656e7469636174696f6e4865787c616e6e612e706574726f7661406578616d706c652e636f6d7c323032362d30332d30312031323a30303a3030|d8fe5fcf67ecf246963e46727f57823dc9de33f1c013d144df18db9df2d055366830cc0c011a422b36f28b6032540e60771d6886b18096981b25197485d1105b'
const BY_PHONE =
  '4d6f62696c6550686f6e6541757468656e7469636174696f6e4865787c37393136313233343536377c323032362d30332d30312031323a30303a3030|202a8469c27bf4c88e7af35cc54d27e94c84013bdd25683aec4a4c10e9eed28905611889176a4fee75277efd29f00dbdec6ca41cfc4a7f4c6dd141e5e5a2d3e7'
// The id is `Анна|№7`.
const BY_ID_WITH_BAR =
  '45787465726e616c4964656e7469747941757468656e7469636174696f6e7c63726d49647cd090d0bdd0bdd0b07ce28496377c323032362d30332d30312031323a30303a3030|57ff39d7ab3257f8af86acab6cf67f46b71cec01296a5bb909aaed375345f12b85b5ef53f1d0c7fe19c246f1ef6e25fe568b3e379e298a03feffbf55c8477973'
const BY_LINK =
  '5365637265744c696e6b41757468656e7469636174696f6e7c313034327c6f726465722d636f6e6669726d6174696f6e7c323032362d30332d30322031323a30303a3030|9e249538d5e4dd8898cb429543ee6273cc9a69f63ecc49c3019dbea4508dc526912046a579da733b068e5c7aaea7ea2e71242d8e01f153d8872bd9af0507d32e'

const MESSAGES = [
  [BY_ID, { kind: 'externalIdentity', idKind: 'webSiteUserId', id: '198412', at: AT }, KEY],
  [BY_EMAIL, { kind: 'email', email: 'anna.petrova@example.com', at: AT }, KEY],
  [BY_PHONE, { kind: 'mobilePhone', digits: '79161234567', at: AT }, KEY],
  [BY_ID_WITH_BAR, { kind: 'externalIdentity', idKind: 'crmId', id: 'Анна|№7', at: AT }, KEY],
  [
    BY_LINK,
    {
      kind: 'secretLink',
      customerId: '1042',
      mailing: 'order-confirmation',
      expiresAt: new Date('2026-03-02T12:00:00Z'),
    },
    PROJECT_KEY,
  ],
] as const

function verify(ticket: string, over: { keys?: (string | Buffer)[]; now?: Date } = {}) {
  return verifyTicket({ ticket, keys: [KEY], signingKey: PROJECT_KEY, now: AT, ...over })
}

/** Well-formed around any message; the signature is not looked at by a reader. */
function around(message: string): string {
  return `${Buffer.from(message, 'utf8').toString('hex')}|${'ab'.repeat(64)}`
}

describe('tickets made elsewhere', () => {
  test('are valid and say whom they name', () => {
    for (const [ticket, subject] of MESSAGES) {
      assert.deepEqual(verify(ticket), { kind: 'valid', subject })
    }
  })

  test('are the same as those made here', () => {
    for (const [ticket, message, key] of MESSAGES) assert.equal(makeTicket(message, key), ticket)
    const link = { customerId: '1042', mailing: 'order-confirmation' }
    const expiresAt = new Date('2026-03-02T12:00:00.999Z')
    assert.equal(makeSecretLinkTicket({ ...link, expiresAt }, PROJECT_KEY), BY_LINK)
  })

  test('may be in either case', () => {
    for (const [ticket] of MESSAGES) {
      assert.equal(verify(ticket.toUpperCase()).kind, 'valid')
      assert.equal(verify(mixedCase(ticket)).kind, 'valid')
    }
  })
})

describe('a signature', () => {
  test('may be under any live key of the endpoint', () => {
    for (const keys of [['old', KEY], [KEY, 'new'], [Buffer.from(KEY)], ['a', KEY, 'b']]) {
      assert.equal(verify(BY_ID, { keys }).kind, 'valid')
    }
    for (const keys of [[], ['another'], [''], [`${KEY} `]]) {
      assert.equal(verify(BY_ID, { keys }).kind, 'wrongSignature')
    }
  })

  test('under an empty key is none', () => {
    const ticket = makeTicket({ kind: 'email', email: 'a@example.com', at: AT }, '')
    assert.equal(verify(ticket, { keys: [''] }).kind, 'wrongSignature')
    const link = makeSecretLinkTicket({ customerId: '1', expiresAt: new Date(2 ** 41) }, '')
    for (const signingKey of ['', null]) {
      const outcome = verifyTicket({ ticket: link, keys: [''], signingKey, now: AT })
      assert.equal(outcome.kind, 'wrongSignature')
    }
  })

  test('of a secret link is only the project’s, and of the others only the endpoint’s', () => {
    const link = { customerId: '1042', expiresAt: new Date('2026-03-02T12:00:00Z') }
    assert.equal(verify(makeSecretLinkTicket(link, PROJECT_KEY)).kind, 'valid')
    assert.equal(verify(makeSecretLinkTicket(link, KEY)).kind, 'wrongSignature')
    const byProject = makeTicket({ kind: 'email', email: 'a@example.com', at: AT }, PROJECT_KEY)
    assert.equal(verify(byProject).kind, 'wrongSignature')
  })

  test('does not fit another message', () => {
    const [, signature] = BY_ID.split('|')
    const [message] = BY_EMAIL.split('|')
    assert.equal(verify(`${message}|${signature}`).kind, 'wrongSignature')
    for (let i = 1; i <= 128; i += 9) {
      assert.equal(verify(flipped(BY_ID, BY_ID.length - i)).kind, 'wrongSignature')
    }
  })
})

describe('time', () => {
  const at = (offsetMs: number) => new Date(AT.getTime() + offsetMs)

  test('a ticket lives for 30 minutes', () => {
    assert.equal(verify(BY_ID, { now: at(30 * 60_000) }).kind, 'valid')
    assert.equal(verify(BY_ID, { now: at(30 * 60_000 + 1) }).kind, 'expired')
  })

  test('and may come from two minutes ahead', () => {
    assert.equal(verify(BY_ID, { now: at(-2 * 60_000) }).kind, 'valid')
    assert.equal(verify(BY_ID, { now: at(-2 * 60_000 - 1) }).kind, 'notYetValid')
  })

  test('a secret link lives until its own expiry', () => {
    const day = 24 * 60 * 60_000
    assert.equal(verify(BY_LINK, { now: at(day - 1) }).kind, 'valid')
    assert.equal(verify(BY_LINK, { now: at(day) }).kind, 'expired')
    assert.equal(verify(BY_LINK, { now: at(-400 * day) }).kind, 'valid')
  })

  test('a wrong signature is told before a wrong time', () => {
    const now = at(10 * 60 * 60_000)
    assert.equal(verify(flipped(BY_ID, BY_ID.length - 1), { now }).kind, 'wrongSignature')
  })
})

describe('a malformed ticket', () => {
  test('is not two parts of hexadecimal digits', () => {
    const [message = '', signature = ''] = BY_ID.split('|')
    const wrong = [
      ...['', '|', message, `${message}|`, `|${signature}`, `${message}||${signature}`],
      ...[`${BY_ID}|`, `${BY_ID} `, ` ${BY_ID}`, `${BY_ID}\n`, `${message} |${signature}`],
      ...[`${message}|${signature}00`, `${message}|${signature.slice(2)}`],
      ...[`${message}0|${signature}`, `${message}|${signature.slice(1)}g`],
      ...[`0x${message}|${signature}`, BY_ID.replaceAll('0', '０'), BY_ID.replace('|', '.')],
    ]
    for (const text of wrong) assert.deepEqual(verify(text), { kind: 'malformed' }, text)
  })

  test('has a message of another form', () => {
    const wrong = `EmailAuthenticationHex|2026-03-01 12:00:00
      EmailAuthenticationHex||2026-03-01 12:00:00
      EmailAuthentication|a@example.com|2026-03-01 12:00:00
      emailauthenticationhex|a@example.com|2026-03-01 12:00:00
      constructor|a|2026-03-01 12:00:00
      ExternalIdentityAuthentication|webSiteUserId|2026-03-01 12:00:00
      ExternalIdentityAuthentication|webSiteUserId||2026-03-01 12:00:00
      ExternalIdentityAuthentication||198412|2026-03-01 12:00:00
      MobilePhoneAuthenticationHex|+79161234567|2026-03-01 12:00:00
      MobilePhoneAuthenticationHex|٧٩١٦١٢٣٤٥٦٧|2026-03-01 12:00:00
      SecretLinkAuthentication|1042|2026-03-01 12:00:00
      SecretLinkAuthentication|anna|news|2026-03-01 12:00:00`
    for (const message of [
      ...wrong.split(/\n\s+/),
      'EmailAuthenticationHex|a\0|2026-03-01 12:00:00',
    ]) {
      assert.equal(readTicket(around(message)).kind, 'malformed', message)
    }
    const broken = Buffer.from(`EmailAuthenticationHex|\xff|2026-03-01 12:00:00`, 'latin1')
    assert.equal(readTicket(`${broken.toString('hex')}|${'ab'.repeat(64)}`).kind, 'malformed')
  })

  test('has an instant that is in no calendar', () => {
    const wrong = `2026-02-30 12:00:00,2026-02-29 12:00:00,2026-13-01 12:00:00,2026-00-01 12:00:00
      2026-03-01 24:00:00,2026-03-01 12:60:00,2026-03-01 12:00:60,2026-03-01T12:00:00
      2026-03-01 12:00:00Z,2026-3-1 12:00:00,26-03-01 12:00:00,2026-03-01  12:00:00
      2026-03-01 12:00,2026-03-01 12:00:00.000,+02026-03-01 12:00:00,`
    for (const instant of wrong.split(/,|\n\s+/)) {
      const ticket = around(`EmailAuthenticationHex|a@example.com|${instant}`)
      assert.equal(readTicket(ticket).kind, 'malformed', instant)
    }
    for (const instant of ['2028-02-29 23:59:59', '0001-01-01 00:00:00']) {
      const ticket = around(`EmailAuthenticationHex|a@example.com|${instant}`)
      assert.equal(readTicket(ticket).kind, 'ticket', instant)
    }
  })

  test('is longer than 8 KiB', () => {
    const withId = (length: number) =>
      makeTicket({ kind: 'externalIdentity', idKind: 'crmId', id: 'x'.repeat(length), at: AT }, KEY)
    const overhead = withId(1).length - 2
    const longest = (8 * 1024 - overhead - 1) >> 1
    assert.equal(verify(withId(longest)).kind, 'valid')
    assert.equal(verify(withId(longest + 1)).kind, 'malformed')
  })
})

function flipped(ticket: string, at: number): string {
  const digit = ticket[at] === '0' ? '1' : '0'
  return ticket.slice(0, at) + digit + ticket.slice(at + 1)
}

function mixedCase(ticket: string): string {
  return [...ticket].map((digit, i) => (i % 2 === 0 ? digit.toUpperCase() : digit)).join('')
}
