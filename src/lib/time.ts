/** Instants as text, in both directions. */

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})?)?$/

/** Days of the month, in the proleptic Gregorian calendar. */
const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

function offsetMinutes(offset: string | undefined): number | null {
  if (!offset || offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4))
  if (hours > 23 || minutes > 59) return null
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * The instant an RFC 3339 timestamp names; a time without an offset is read as UTC, a date alone as midnight
 * UTC. null for anything else, 30 February included, and outside the years 1 to 9999.
 */
export function parseInstant(text: string): Date | null {
  const match = RFC_3339.exec(text)
  if (!match) return null
  const [, y = '', mo = '', d = '', h = '0', mi = '0', s = '0', fraction = '0', offset] = match
  const [year, month, day, hour, minute, second] = [y, mo, d, h, mi, s].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const shift = offsetMinutes(offset)
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  if (hour > 23 || minute > 59 || second > 59 || shift === null) return null
  const instant = new Date(0)
  instant.setUTCFullYear(year, month - 1, day)
  instant.setUTCHours(hour, minute - shift, second, Math.floor(Number(`0.${fraction}`) * 1000))
  return instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999 ? instant : null
}

const DAY_MS = 86_400_000

const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z')

/** The instant that many days of 24 hours earlier, or the first one that a request can name. */
export const daysBefore = (instant: Date, count: number): Date =>
  new Date(Math.max(EARLIEST_MS, instant.getTime() - count * DAY_MS))

const KEPT_DAYS = 1000

/** The beginnings of texts, up to the time: instants of one request are of few days. */
const days = new Map<number, string>()

function dayText(day: number): string {
  let text = days.get(day)
  if (text === undefined) {
    text = `${new Date(day * DAY_MS).toISOString().split('T')[0]}T`
    if (days.size === KEPT_DAYS) days.clear()
    days.set(day, text)
  }
  return text
}

const padded = (count: number, width: number): string[] =>
  Array.from({ length: count }, (_, number) => String(number).padStart(width, '0'))

const TWO_DIGITS = padded(60, 2)
const THREE_DIGITS = padded(1000, 3)

/** The instant in UTC with milliseconds: the text of `toISOString`, in a third of the time. */
export function instantText(instant: Date): string {
  const ms = instant.getTime()
  const day = Math.floor(ms / DAY_MS)
  const time = ms - day * DAY_MS
  const seconds = Math.floor(time / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const [h, m] = [TWO_DIGITS[hours], TWO_DIGITS[minutes - hours * 60]]
  return `${dayText(day)}${h}:${m}:${TWO_DIGITS[seconds - minutes * 60]}.${THREE_DIGITS[time - seconds * 1000]}Z`
}

const FIRST_STORABLE = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_STORABLE = Date.parse('9999-12-31T23:59:59.999Z')

/** True for a time in the years 1 to 9999, whose ISO text PostgreSQL reads. */
export const isStorableTime = (time: Date): boolean =>
  time.getTime() >= FIRST_STORABLE && time.getTime() <= LAST_STORABLE
