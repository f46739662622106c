/**
 * Microseconds since 1970 in UTC, as PostgreSQL counts them. They stay exact in a double until the
 * year 2255.
 */
export type Instant = number

/** The instants of a batch lie within a millisecond or two, and their text is needed many times. */
let lastMs = Number.NaN
let lastText = ''

/** `2026-11-15T09:30:00.000001Z`: text that PostgreSQL, Parquet writers and people read alike. */
export function isoOf(instant: Instant): string {
  const ms = Math.floor(instant / 1000)
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString().slice(0, -1)
    lastMs = ms
  }
  const us = instant - ms * 1000
  return `${lastText}${us < 10 ? '00' : us < 100 ? '0' : ''}${us}Z`
}

/** A later state of a record always has a later instant, even when the clock was set back. */
export function after(now: Instant, previous: Instant): Instant {
  return now > previous ? now : previous + 1
}
