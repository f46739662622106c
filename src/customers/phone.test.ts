import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePhone } from './phone.ts'

const READ: [sent: string, country: string, kept: string, why: string][] = [
  ['79161234567', 'RU', '79161234567', 'digits with the country code'],
  ['+7 (916) 123-45-67', 'RU', '79161234567', 'as people write it'],
  ['89161234567', 'RU', '79161234567', 'national with the trunk prefix'],
  ['9161234567', 'RU', '79161234567', 'national without it'],
  ['4915112345678', 'RU', '4915112345678', 'of another country'],
  ['015112345678', 'DE', '4915112345678', 'national in the country of the project'],
  [' +44 7400 123456 ', 'RU', '447400123456', 'with white space around'],
]

for (const [sent, country, kept, why] of READ) {
  test(`"${sent}" is read as ${kept}: ${why}`, () => {
    assert.equal(parsePhone(sent, country), kept)
    assert.equal(parsePhone(kept, country), kept)
  })
}

const REFUSED: [sent: string, why: string][] = [
  ['', 'empty'],
  ['123', 'too short for any country'],
  ['+7916123456', 'a digit is missing'],
  ['+9161234567', 'a plus says that it is not national'],
  ['abc', 'no digits'],
  ['7916123456a', 'a letter among them'],
  ['++79161234567', 'two pluses'],
  ['79161234567;79161234568', 'two numbers'],
  ['1'.repeat(20), 'more than 19 digits'],
]

for (const [sent, why] of REFUSED) {
  test(`"${sent}" is refused: ${why}`, () => assert.equal(parsePhone(sent, 'RU'), null))
}
