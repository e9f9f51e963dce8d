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

/** The edit distance, or Infinity where more than a third of the text differs. */
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

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The local time in the zone, to the second, as milliseconds of the same time in UTC. */
function wallClock(zone: string, instant: number): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en', {
      // Contract silent: a stored zone that the runtime no longer knows is read as UTC.
      timeZone: isLoadable(zone) ? zone : 'UTC',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  clocks.set(zone, clock)
  const shown = Object.fromEntries(
    clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour, minute, second } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The first instant, in the zone, of the month that contains the instant. */
export function startOfMonth(instant: Date, zone: string): Date {
  const shown = new Date(wallClock(zone, instant.getTime()))
  const midnight = Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), 1)
  // The offset may change that night, so both the day before's and the day after's are tried.
  const [first, second] = [midnight - DAY_MS, midnight + DAY_MS]
    .map((nearby) => midnight - (wallClock(zone, nearby) - nearby))
    .sort((a, b) => a - b) as [number, number]
  return new Date(wallClock(zone, first) >= midnight ? first : second)
}
