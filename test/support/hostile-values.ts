import type { Random } from './random.ts'

/** Texts that break programs which trust them. */
const SPITEFUL = [
  '',
  ' ',
  '\t\n',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e400',
  '0x10',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '99999999999999999999999999999999999999.5',
  '.',
  '+',
  'TRUE',
  '0000-00-00',
  '0001-01-01',
  '9999-12-31',
  '2026-02-30',
  '+010000-01-01',
  '2026-12-31T23:59:60Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '2026-01-01T00:00:00.1234567890Z',
  "'; drop table customer; --",
  '{"a": 1}',
  '{}',
  '{,}',
  '[1, 2]',
  'NULL',
  '\\N',
  '$1',
  '%s%n',
  '\\x00',
  '\\u0000',
  '../../../../etc/passwd',
  '#{7*7}',
  '{{ 7 | times: 7 }}',
  '<script>alert(1)</script>',
  ']]>',
  '&lt;',
  '&amp;amp;',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '\u202egnp.exe',
  '\ufeff',
  '\u0085',
  '\u2028',
  '\u200b',
  '\ufffe',
  'İ',
  'ß@ß.de',
  'ǆ',
  'ﬀ@example.com',
  'a@b',
  '@',
  'a@@b.c',
  '.a@example.com',
  `${'a'.repeat(64)}@example.com`,
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(60)}.com`,
  `a@${'b.'.repeat(200)}com`,
  '+7 (916) 123-45-67',
  '00000000000000000000',
  '٧٩١٦١٢٣٤٥٦٧',
  '123456789012345678901234567890',
  '5ad03466-a2d3-4b3e-9ebc-0ef3a8cd2a4b',
  '45787465726e616c|00',
  '🦊'.repeat(500),
  'x'.repeat(1_000),
  'x'.repeat(1_001),
  'я'.repeat(1_000),
] as const

/** First and last characters of alphabets whose characters take one, two, three and four bytes. */
const ALPHABETS = [
  [0x21, 0x7e],
  [0x410, 0x44f],
  [0x4e00, 0x9fff],
  [0x20000, 0x2a6df],
] as const

/** A value for a field: a known trouble maker, or characters of one alphabet up to its limits. */
export function spitefulText(random: Random): string {
  return random.chance(0.7) ? random.pick(SPITEFUL) : randomText(random)
}

/** Incompressible, as a token or a name in a large alphabet is. */
function randomText(random: Random): string {
  const [first, last] = random.pick(ALPHABETS)
  const length = random.pick([1, 20, 99, 100, 101, 254, 255, 999, 1_000, 1_001])
  let text = ''
  for (let index = 0; index < length; index++) {
    text += String.fromCodePoint(first + random.below(last - first + 1))
  }
  return text
}
