/** IANA time zones. */
import { createRequire } from 'node:module'
import { editDistance } from './edit-distance.ts'

const require = createRequire(import.meta.url)

let read: ReadonlySet<string> | undefined

/** Every name of the IANA database, aliases included. Loaded on first use. */
function zoneNames(): ReadonlySet<string> {
  if (!read) {
    const { zones } = require('tzdata') as { zones: Record<string, unknown> }
    read = new Set(Object.keys(zones).sort())
  }
  return read
}

function isLoadable(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

// Contract silent: GMT+0 and Etc/GMT+5 are names of the database, so they are zones; +05:30 and UTC+1 are offsets.
/** True for the exact name of an IANA zone that the runtime can load. */
export const isZoneName = (name: string): boolean => zoneNames().has(name) && isLoadable(name)

const SUGGESTIONS = 5

const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1)

/** The edit distance, or Infinity if more than a third of the text differs. */
function nearness(text: string, other: string): number {
  const most = text.length / 3
  if (Math.abs(text.length - other.length) > most) return Infinity
  const distance = editDistance(text, other)
  return distance <= most ? distance : Infinity
}

/** Zones with a similar name or a similar city, the nearest first. */
export function suggestions(name: string): string[] {
  const wanted = name.toLowerCase()
  return [...zoneNames()]
    .map((zone) => {
      const candidate = zone.toLowerCase()
      const byCity = 1 + nearness(cityOf(wanted), cityOf(candidate))
      return { zone, distance: Math.min(nearness(wanted, candidate), byCity) }
    })
    .filter(({ zone, distance }) => distance < Infinity && isLoadable(zone))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS)
    .map(({ zone }) => zone)
}

/** True if the zone may be stored in place of the stored one, which is always accepted. */
export const isAcceptedZone = (zone: string, stored: string | null): boolean =>
  zone === stored || isZoneName(zone)

const ZONE_CHARACTERS = 64

/** The details of a zone that is refused: its first 64 characters, and the zones that may have been meant. */
export function zoneDetails(zone: string): { timezone: string; suggestions: string[] } {
  // A character is two code units at most.
  const timezone = [...zone.slice(0, 2 * ZONE_CHARACTERS)].slice(0, ZONE_CHARACTERS).join('')
  return { timezone, suggestions: suggestions(timezone) }
}

/** `Date.UTC`, which takes the years 0 to 99 for those of the twentieth century. */
function utc(year: number, month: number, day: number, ...time: (number | undefined)[]): number {
  const [hour = 0, minute = 0, second = 0] = time
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date.setUTCHours(hour, minute, second)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The local time in the zone, to the second, as milliseconds of the same time in UTC. */
export function wallClock(zone: string, instant: number): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en', {
      // Contract silent: a stored zone that the runtime no longer knows is read as UTC.
      timeZone: isLoadable(zone) ? zone : 'UTC',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  clocks.set(zone, clock)
  const parts = clock.formatToParts(instant)
  const shown = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour, minute, second } = shown
  // The year before the first one is 1 BC.
  const is_before = parts.some(({ value }) => value === 'BC')
  return utc(is_before ? 1 - year : year, month - 1, day, hour, minute, second)
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The first instant of the local day whose midnight this is, written as the same time in UTC. */
function startOfLocalDay(midnight: number, zone: string): Date {
  // The offset may change that night, so both the day before's and the day after's are tried.
  const [first, second] = [midnight - DAY_MS, midnight + DAY_MS]
    .map((nearby) => midnight - (wallClock(zone, nearby) - nearby))
    .sort((a, b) => a - b) as [number, number]
  return new Date(wallClock(zone, first) >= midnight ? first : second)
}

export type CalendarUnit = 'DAY' | 'WEEK' | 'MONTH'

/** The first instant, in the zone, of the day, week or month that is `later` units after the one of the instant. */
export function startOf(unit: CalendarUnit, instant: Date, zone: string, later = 0): Date {
  const shown = new Date(wallClock(zone, instant.getTime()))
  const [year, month, day] = [shown.getUTCFullYear(), shown.getUTCMonth(), shown.getUTCDate()]
  // ISO 8601: weeks begin on Monday.
  const monday = day - ((shown.getUTCDay() + 6) % 7)
  const midnight = {
    DAY: () => utc(year, month, day + later),
    WEEK: () => utc(year, month, monday + 7 * later),
    MONTH: () => utc(year, month + later, 1),
  }[unit]()
  return startOfLocalDay(midnight, zone)
}

/** Milliseconds by which the zone is ahead of UTC at a whole second. */
const offsetAt = (zone: string, second: number): number => wallClock(zone, second * 1000) - second * 1000

/** The first second in the interval from which on the zone has another offset than at its start. */
function offsetChange(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from)
  let [last, first] = [from, to]
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2)
    if (offsetAt(zone, middle) === before) last = middle
    else first = middle
  }
  return first
}

interface OffsetSpan {
  from: number
  to: number
  /** Milliseconds by which the zone is ahead of UTC. */
  offset: number
}

/** The interval in spans of at most a day, in each of which the zone has one offset. Instants are in milliseconds. */
export function* offsetSpans(zone: string, from: number, to: number): Generator<OffsetSpan> {
  // No zone changes its offset twice in a day.
  for (let start = from; start < to; start += DAY_MS) {
    const end = Math.min(start + DAY_MS, to)
    const [first, last] = [Math.floor(start / 1000), Math.floor(end / 1000)]
    const [before, after] = [offsetAt(zone, first), offsetAt(zone, last)]
    const change = before === after ? end : offsetChange(zone, first, last) * 1000
    yield { from: start, to: change, offset: before }
    if (change < end) yield { from: change, to: end, offset: after }
  }
}

/** The date that the clocks of the zone show at the instant: `YYYY-MM-DD`. */
export const localDate = (instant: Date, zone: string): string =>
  new Date(wallClock(zone, instant.getTime())).toISOString().slice(0, 10)
