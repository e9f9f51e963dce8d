/** The occurrences of an agent's schedule, in its time zone. */
import { CronExpressionParser } from 'cron-parser'
import { isObject } from '../../../lib/is-object.ts'
import { parseInstant } from '../../../lib/time.ts'
import { wallClock } from '../../../lib/timezone.ts'

export interface Schedule {
  /** Five fields of cron. */
  cron: string
  timezone: string
  /** The first instant at which it may run. */
  start_at: Date | null
  /** The instant from which on it does not run any more. */
  end_at: Date | null
}

const instantOf = (text: unknown): Date | null => (typeof text === 'string' ? parseInstant(text) : null)

/** The schedule of a stored config object; null if it is none. */
export function scheduleIn(config: unknown): Schedule | null {
  if (!isObject(config) || typeof config.cron !== 'string') return null
  const { cron, timezone, start_at, end_at } = config
  return {
    cron,
    timezone: typeof timezone === 'string' ? timezone : 'UTC',
    start_at: instantOf(start_at),
    end_at: instantOf(end_at),
  }
}

const HOUR_MS = 3_600_000
const HOURS = 24

/** The distance from a change of the offset within which a local time may be missing or repeated. */
const NEAR_MS = 3 * HOUR_MS

/** Milliseconds by which the zone is ahead of UTC at the instant. */
const offsetAt = (zone: string, instant: number): number => {
  const second = Math.floor(instant / 1000) * 1000
  return wallClock(zone, second) - second
}

/** True if the zone keeps its offset around the instant. */
const isSteady = (zone: string, instant: number): boolean =>
  offsetAt(zone, instant - NEAR_MS) === offsetAt(zone, instant + NEAR_MS)

// cron-parser reads the expression and walks the local times, as if they were UTC: in zones whose offset changes by half
// an hour it leaves occurrences out.
interface LocalTimes {
  /** True for an expression that names every hour. */
  every_hour: boolean
  next(): number | null
}

/** The local times of the expression later than `after`; both are written as the same time in UTC. */
function localTimes(cron: string, after: number): LocalTimes {
  const expression = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(after) })
  return {
    every_hour: expression.fields.hour.values.length === HOURS,
    next: () => (expression.hasNext() ? expression.next().getTime() : null),
  }
}

// Contract silent: a local time that the clocks skip is made up as long after the change as it is after the missing time
// began; one that they show twice occurs the first time only. Both hold for schedules that name hours. A schedule of
// every hour follows the time that passes: it has no occurrence in what is skipped, and occurs again in what is repeated.
/** The instants of a local time. */
function instantsOf(zone: string, local: number, every_hour: boolean): number[] {
  const guess = local - offsetAt(zone, local)
  const before = local - offsetAt(zone, guess - NEAR_MS)
  const after = local - offsetAt(zone, guess + NEAR_MS)
  const shown = [...new Set([before, after])].filter((instant) => wallClock(zone, instant) === local)
  if (every_hour) return shown
  return [shown.length > 0 ? Math.min(...shown) : before]
}

/** The first occurrence later than `after`, without regard to the bounds of the schedule. */
function firstAfter({ cron, timezone }: Schedule, after: number): number | null {
  const local = wallClock(timezone, Math.floor(after / 1000) * 1000)
  const times = localTimes(cron, isSteady(timezone, after) ? local : local - NEAR_MS)
  let first: number | null = null
  // Near a change of the offset a later local time may come earlier.
  let last = Number.POSITIVE_INFINITY
  for (let time = times.next(); time !== null && time <= last; time = times.next()) {
    for (const instant of instantsOf(timezone, time, times.every_hour)) {
      if (instant <= after || (first !== null && instant >= first)) continue
      first = instant
      last = isSteady(timezone, instant) ? time : time + NEAR_MS
    }
  }
  return first
}

/** The first occurrence later than `after`; null if there is none any more. */
export function nextOccurrence(schedule: Schedule, after: Date): Date | null {
  const { start_at, end_at } = schedule
  const from = Math.max(after.getTime(), start_at ? start_at.getTime() - 1 : Number.NEGATIVE_INFINITY)
  const next = firstAfter(schedule, from)
  return next === null || (end_at && next >= end_at.getTime()) ? null : new Date(next)
}

/** The last occurrence that is not later than `now`, of those from the occurrence `due` on. */
export function latestOccurrence(schedule: Schedule, due: Date, now: Date): Date {
  let latest = due
  // Looked for from `now` backwards, in steps that double: after a long downtime there may be very many.
  for (let back = 60_000; ; back *= 2) {
    const from = Math.max(due.getTime(), now.getTime() - back)
    for (
      let next = nextOccurrence(schedule, new Date(from));
      next && next <= now;
      next = nextOccurrence(schedule, next)
    )
      latest = next
    if (latest > due || from === due.getTime()) return latest
  }
}
