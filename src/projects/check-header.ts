import { getCountries, isSupportedCountry } from 'libphonenumber-js'
import { type Place, type Problem, report } from './problems.ts'
import { checkName, textOf } from './read-values.ts'
import { suggestionFor } from './suggest.ts'
import type { Value } from './yaml-tree.ts'

/** What the top of `project.yaml` says about the project as a whole. */
export interface ProjectHeader {
  name: string
  title: string
  locale: string
  defaultCountry: string
  timeZone: string
}

export const HEADER_SETTINGS = ['name', 'title', 'locale', 'defaultCountry', 'timeZone'] as const

type HeaderSettings = { [S in (typeof HEADER_SETTINGS)[number]]?: Value }

const DEFAULT_LOCALE = 'en'
const DEFAULT_TIME_ZONE = 'UTC'

export function checkHeader(
  settings: HeaderSettings,
  at: Place,
  problems: Problem[],
): ProjectHeader {
  const name = textOf(settings.name, problems) ?? ''
  if (settings.name === undefined) {
    report(problems, at, 'the project has no name', 'Add a line such as `name: my-shop`.')
  } else if (name !== '') checkName('system', { name, at: settings.name.at }, problems)
  if (settings.defaultCountry === undefined) {
    // No default: a guess would quietly turn people's national numbers into somebody else's.
    const suggestion =
      'Add the country whose phone numbers come without a code: `defaultCountry: DE`.'
    report(problems, at, 'the project has no defaultCountry', suggestion)
  }
  return {
    name,
    title: textOf(settings.title, problems) ?? name,
    locale: checkLocale(settings.locale, problems),
    defaultCountry: checkCountry(settings.defaultCountry, problems),
    timeZone: checkTimeZone(settings.timeZone, problems),
  }
}

function checkLocale(value: Value | undefined, problems: Problem[]): string {
  const locale = textOf(value, problems)
  if (value === undefined || locale === undefined) return DEFAULT_LOCALE
  if (!isLocale(locale)) {
    const suggestion = 'Write a language, and a country if it matters: `en`, `en-GB`.'
    report(problems, value.at, `there is no locale \`${locale}\``, suggestion)
  }
  return locale
}

function isLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length === 1
  } catch {
    return false
  }
}

function checkCountry(value: Value | undefined, problems: Problem[]): string {
  const country = textOf(value, problems)
  if (value === undefined || country === undefined) return ''
  if (!isSupportedCountry(country)) {
    const suggestion =
      suggestionFor(country, getCountries()) ?? 'Write its two letters of ISO 3166: `DE`.'
    report(problems, value.at, `there is no country \`${country}\``, suggestion)
  }
  return country
}

function checkTimeZone(value: Value | undefined, problems: Problem[]): string {
  const zone = textOf(value, problems)
  if (value === undefined || zone === undefined) return DEFAULT_TIME_ZONE
  if (!isTimeZone(zone)) {
    const suggestion =
      suggestionFor(zone, Intl.supportedValuesOf('timeZone')) ??
      'Write its name in the time zone database: `Europe/Berlin`.'
    report(problems, value.at, `there is no time zone \`${zone}\``, suggestion)
  }
  return zone
}

/** Offsets are refused: `+03:00` means opposite things to JavaScript and to PostgreSQL. */
function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
