/**
 * Microseconds since 1970 in UTC, as PostgreSQL counts them. They stay exact in a double until the
 * year 2255.
 */
export type Instant = number

/** `2026-11-15T09:30:00.000001Z`: text that PostgreSQL, Parquet writers and people read alike. */
export function isoOf(instant: Instant): string {
  const ms = Math.floor(instant / 1000)
  const us = instant - ms * 1000
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us).padStart(3, '0')}Z`
}

/** A later state of a record always has a later instant, even when the clock was set back. */
export function after(now: Instant, previous: Instant): Instant {
  return now > previous ? now : previous + 1
}
