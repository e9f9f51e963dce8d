/** Hours that repeat every week in a time zone: whether an instant is in them, and when that changes. */
import { offsetSpans } from './timezone.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const WEEK_MS = 7 * DAY_MS

/** Minutes of the week, counted from Monday at midnight. The end is not in it. */
export interface Hours {
  start: number
  end: number
}

/** A Monday at midnight. */
const MONDAY = Date.UTC(1970, 0, 5)

/** Milliseconds as a part of a week. */
const inWeek = (ms: number): number => ((ms % WEEK_MS) + WEEK_MS) % WEEK_MS

// Local times are given as the same times in UTC.
const isIn = (hours: readonly Hours[], local: number): boolean => {
  const time = inWeek(local - MONDAY)
  return hours.some(({ start, end }) => time >= start * MINUTE_MS && time < end * MINUTE_MS)
}

/** The times of the week at which the hours begin or end. Hours that meet neither end nor begin there. */
function changesIn(hours: readonly Hours[]): number[] {
  const starts = new Set(hours.map(({ start }) => start * MINUTE_MS))
  const ends = new Set(hours.map(({ end }) => (end * MINUTE_MS) % WEEK_MS))
  return [...starts.symmetricDifference(ends)]
}

/** The next local time after this one at which the hours begin or end. */
const nextChange = (changes: readonly number[], local: number): number =>
  local + Math.min(...changes.map((change) => inWeek(MONDAY + change - local) || WEEK_MS))

// Hours in which clocks go forward may be missing twice in a row, and a zone may skip a whole day.
const HORIZON_MS = 3 * WEEK_MS

export interface Position {
  /** The instant is in the hours. */
  within: boolean
  /** The first instant after it at which that is no longer so; null: never. */
  changes_at: Date | null
}

/**
 * The position of an instant in hours that do not overlap. It follows the clocks in the zone: hours that they
 * skip are missing, and those that they show twice are there twice.
 */
export function positionIn(hours: readonly Hours[], zone: string, at: Date): Position {
  const changes = changesIn(hours)
  let within: boolean | null = null
  for (const { from, to, offset } of offsetSpans(zone, at.getTime(), at.getTime() + HORIZON_MS)) {
    const now = isIn(hours, from + offset)
    within ??= now
    if (now !== within) return { within, changes_at: new Date(from) }
    const change = nextChange(changes, from + offset) - offset
    if (change < to) return { within, changes_at: new Date(change) }
    if (changes.length === 0) break
  }
  return { within: within ?? false, changes_at: null }
}
