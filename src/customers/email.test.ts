import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailKey, parseEmail } from './email.ts'

const GOOD = [
  'anna@example.com',
  "o'neil+shop.1@mail.example.co.uk",
  'Анна@пример.рф',
  'a@b.cd',
  `${'a'.repeat(64)}@example.com`,
  'x_y|z@xn--e1afmkfd.xn--p1ai',
]

for (const email of GOOD) {
  test(`${email} is an address`, () => assert.equal(parseEmail(email), email))
}

const BAD = [
  '',
  'anna',
  '@example.com',
  'anna@',
  'anna@localhost',
  'anna@example.c',
  'anna@.example.com',
  'anna@example..com',
  'anna@-example.com',
  '.anna@example.com',
  'anna.@example.com',
  'an..na@example.com',
  'an na@example.com',
  'anna@exam ple.com',
  'anna@boris@example.com',
  'Anna <anna@example.com>',
  'anna@example.com, boris@example.com',
  'anna@example.com\nBcc: boris@example.com',
  'an\u200bna@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${`${'b'.repeat(60)}.`.repeat(4)}example.com`,
]

for (const text of BAD) {
  test(`${JSON.stringify(text).slice(0, 50)} is none`, () => assert.equal(parseEmail(text), null))
}

test('an address of 254 characters is the longest', () => {
  const domain = (length: number) => `${`${'b'.repeat(59)}.`.repeat(3)}${'c'.repeat(length - 180)}`
  const longest = `${'a'.repeat(64)}@${domain(189)}`
  assert.equal(longest.length, 254)
  assert.equal(parseEmail(longest), longest)
  assert.equal(parseEmail(`${'a'.repeat(64)}@${domain(190)}`), null)
})

test('white space around is dropped and letters are composed', () => {
  assert.equal(parseEmail('  anna@example.com\n'), 'anna@example.com')
  assert.equal(parseEmail('rene\u0301@example.com'), 'ren\u00e9@example.com')
})

test('two spellings of one address have one key', () => {
  assert.equal(emailKey('Anna@EXAMPLE.com'), emailKey('anna@example.COM'))
  assert.notEqual(emailKey('anna@example.com'), emailKey('anna@example.org'))
})

test('a crowd of combining marks is refused without looking at each', () => {
  const marks = '\u0301'.repeat(200_000) + '\u0316'.repeat(200_000)
  assert.equal(parseEmail(`a${marks}@example.com`), null)
})
