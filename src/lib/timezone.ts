/** IANA time zones. */

const NAME = /^[A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)*$/
const OFFSET = /^(?:UTC|GMT)?[+-]\d/

// Intl lists only its canonical names; these are the zones with other spellings that it loads too.
const UNLISTED = [
  'UTC',
  'GMT',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Yangon',
  'Asia/Ho_Chi_Minh',
  'Europe/Kyiv',
]

let listed: readonly string[] | undefined

const zoneNames = (): readonly string[] => {
  listed ??= [...new Set([...Intl.supportedValuesOf('timeZone'), ...UNLISTED])]
  return listed
}

function loads(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Whether another letter case of the name is a listed zone. */
const isMiscased = (name: string): boolean =>
  !zoneNames().includes(name) && zoneNames().some((zone) => zone.toLowerCase() === name.toLowerCase())

/** Whether the name is an IANA zone the service can load, in its own letter case; an offset is no zone. */
export const isZoneName = (name: string): boolean =>
  NAME.test(name) && !OFFSET.test(name) && loads(name) && !isMiscased(name)

/** Zones that a name may have been meant for. */
export function suggestions(name: string): string[] {
  const wanted = name.toLowerCase().replaceAll(' ', '_')
  const city = wanted.split('/').at(-1) ?? wanted
  const same = zoneNames().filter((zone) => zone.toLowerCase() === wanted)
  const alike = zoneNames().filter((zone) => city.length > 2 && zone.toLowerCase().includes(city))
  return [...new Set([...same, ...alike])].slice(0, 5)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** What a clock on the wall shows, as if it were UTC, to the second. */
function wallClock(zone: string, instant: number): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en', {
      timeZone: zone,
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

/** The first instant of the month that the instant is in, in the zone. */
export function startOfMonth(instant: Date, zone: string): Date {
  const shown = new Date(wallClock(zone, instant.getTime()))
  const midnight = Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), 1)
  // Clocks may change that night: the first instant from midnight on, by the offset of the day before or after.
  const [first, second] = [midnight - DAY_MS, midnight + DAY_MS]
    .map((nearby) => midnight - (wallClock(zone, nearby) - nearby))
    .sort((a, b) => a - b) as [number, number]
  return new Date(wallClock(zone, first) >= midnight ? first : second)
}
