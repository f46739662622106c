import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CustomField, ScalarFieldType } from '#projects'
import { fieldText, lengthOf, parseDate, parseFieldValue, parseScalar } from './field-value.ts'

type Scalar = Exclude<ScalarFieldType, 'enum'>

/** By type: what is sent and the spelling it is kept in. */
const VALUES: Record<Scalar, [string, string][]> = {
  string: [
    ['text', 'text'],
    [' kept as it is ', ' kept as it is '],
    ['😀'.repeat(1000), '😀'.repeat(1000)],
  ],
  integer: [
    ['0', '0'],
    ['-0', '0'],
    ['+7', '7'],
    [' 007 ', '7'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ],
  decimal: [
    ['1234.50', '1234.5'],
    ['-0.00', '0'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['+000.1000', '0.1'],
    ['0.1234567890123456789012345678901234567', '0.1234567890123456789012345678901234567'],
  ],
  boolean: [
    ['true', 'true'],
    ['FALSE', 'false'],
    [' True ', 'true'],
  ],
  date: [
    ['2024-02-29', '2024-02-29'],
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
  ],
  dateTime: [
    ['2026-03-31T09:30:00Z', '2026-03-31T09:30:00Z'],
    ['2026-03-31 09:30', '2026-03-31T09:30:00Z'],
    ['2026-03-31T09:30:00+03:00', '2026-03-31T06:30:00Z'],
    ['2026-03-31T23:30:00-0100', '2026-04-01T00:30:00Z'],
    ['2026-03-31T09:30:00.1234567Z', '2026-03-31T09:30:00.123456Z'],
    ['2026-03-31T09:30:00.500', '2026-03-31T09:30:00.5Z'],
  ],
}

const WRONG: Record<Scalar, string[]> = {
  string: ['x'.repeat(1001), '😀'.repeat(1001)],
  integer: ['1.0', '1e3', '0x10', '9223372036854775808', '-9223372036854775809', '１', '', '--1'],
  decimal: ['1,5', '1e5', '.', '', 'NaN', 'Infinity', '1'.repeat(39), '1 000'],
  boolean: ['1', '0', 'yes', 'да', ''],
  date: [
    '2026-02-29',
    '2026-13-01',
    '2026-1-1',
    '31.12.2026',
    '0000-01-01',
    '2026-01-01T00:00:00Z',
  ],
  dateTime: [
    '2026-03-31',
    '2026-02-30T09:30:00Z',
    '2026-03-31T25:00:00Z',
    '2026-03-31T09:30:60Z',
    '2026-03-31T09:30:00+25:00',
    '2026-03-31T09:30.5Z',
    '0001-01-01T00:00:00+05:00',
    '9999-12-31T23:00:00-05:00',
    'now',
  ],
}

for (const type of Object.keys(VALUES) as Scalar[]) {
  describe(`a value of type ${type}`, () => {
    for (const [sent, kept] of VALUES[type]) {
      test(`${shown(sent)} is kept as ${shown(kept)}`, () => {
        assert.deepEqual(parseScalar(sent, type), { kind: 'value', value: kept })
        assert.deepEqual(parseScalar(kept, type), { kind: 'value', value: kept })
      })
    }
    for (const sent of WRONG[type]) {
      test(`is not ${shown(sent)}, and the answer says what is expected`, () => {
        const parsed = parseScalar(sent, type)
        assert.equal(parsed.kind, 'wrong')
        assert.match(parsed.expected, /^(an? |true or)/)
      })
    }
  })
}

function shown(text: string): string {
  return text.length > 50 ? `${text.length} times ${text.slice(0, 2)}` : `"${text}"`
}

test('an enum takes one of its values, as it is spelled', () => {
  const field: CustomField = {
    name: 'colour',
    title: 'Colour',
    type: 'enum',
    isList: false,
    values: ['red', 'dark green'],
    isPersonal: false,
  }
  assert.deepEqual(parseFieldValue(' dark green ', field), { kind: 'value', value: 'dark green' })
  const expected = 'one of red, dark green'
  assert.deepEqual(parseFieldValue('Red', field), { kind: 'wrong', expected })
})

test('characters are counted as people count them', () => {
  assert.equal(lengthOf('😀'.repeat(101)), 101)
  assert.equal(lengthOf('x'.repeat(101)), 101)
})

test('a day must exist', () => {
  assert.equal(parseDate('1900-02-29'), null)
  assert.equal(parseDate('2000-02-29'), '2000-02-29')
})

test('a list is exported as a JSON array, a value as it is', () => {
  assert.equal(fieldText(['a', 'b"c']), '["a","b\\"c"]')
  assert.equal(fieldText('["a"]'), '["a"]')
})
