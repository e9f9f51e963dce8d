/** Schedules of every kind against the clocks of their zones, read minute by minute. */
import { CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { latestOccurrence, nextOccurrence } from '../../../src/areas/agents/schedule/rules.ts'
import { wallClock } from '../../../src/lib/timezone.ts'
import { schedule } from './schedule.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'America/Havana',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Europe/Dublin',
  'Pacific/Chatham',
  'America/St_Johns',
  'Africa/Cairo',
]

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const field = (max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 0, max }).map(String),
    fc
      .uniqueArray(fc.integer({ min: 0, max }), { minLength: 2, maxLength: 4 })
      .map((values) => values.join(',')),
  )

const crons = fc
  .tuple(field(59), field(23), fc.constantFrom('*', '1', 'L', '28-31'), fc.constantFrom('*', '0', '1-5'))
  .map(([minute, hour, day, weekday]) => `${minute} ${hour} ${day} * ${weekday}`)

interface Minute {
  instant: number
  local: number
}

const windows = new Map<string, Minute[]>()

/** The minutes of a few days, with the local time that each shows. */
function minutesOf(zone: string, from: number, count: number): Minute[] {
  const known = windows.get(`${zone} ${from}`)
  if (known) return known
  const minutes = Array.from({ length: count * 1440 }, (_, n) => {
    const instant = from + n * MINUTE_MS
    return { instant, local: wallClock(zone, instant) }
  })
  windows.set(`${zone} ${from}`, minutes)
  return minutes
}

/** Every occurrence of some days, found by looking at each minute of the clock. */
function occurrencesOf(cron: string, zone: string, from: number, count: number): number[] {
  const expression = CronExpressionParser.parse(cron, { tz: 'UTC' })
  const matches = (local: number) => expression.includesDate(new Date(local))
  const minutes = minutesOf(zone, from, count)
  if (expression.fields.hour.values.length === 24)
    return minutes.flatMap(({ instant, local }) => (matches(local) ? [instant] : []))
  const found = new Set<number>()
  let shown = Number.NEGATIVE_INFINITY
  for (const { instant, local } of minutes) {
    // The clocks went forward: what they skipped comes as long after the change.
    if (shown > 0)
      for (let skipped = shown + MINUTE_MS; skipped < local; skipped += MINUTE_MS)
        if (matches(skipped)) found.add(instant + (skipped - shown - MINUTE_MS))
    // A local time that was shown already does not count again.
    if (local > shown && matches(local)) found.add(instant)
    shown = Math.max(shown, local)
  }
  return [...found].sort((a, b) => a - b)
}

const DAYS = Array.from({ length: 365 }, (_, n) => Date.UTC(2027, 0, 1) + n * DAY_MS)

/** The days of 2027 on which each zone changes its offset; any day, if it never does. */
const CHANGES = new Map(
  ZONES.map((zone) => {
    const offset = (at: number) => wallClock(zone, at) - at
    const changes = DAYS.filter((day) => offset(day) !== offset(day + DAY_MS))
    return [zone, changes.length > 0 ? changes : DAYS.slice(0, 2)]
  }),
)

/** The start of three days around a change of the offset in the zone. */
function windowOf(zone: string, pick: number): number {
  const from = CHANGES.get(zone) ?? []
  return (from[pick % from.length] as number) - DAY_MS
}

const COMPARED = 20

describe('any schedule', () => {
  it('has the occurrences that the clocks of its zone show, none twice', () => {
    fc.assert(
      fc.property(crons, fc.constantFrom(...ZONES), fc.nat(), fc.nat(2 * DAY_MS), (cron, zone, pick, ms) => {
        const from = windowOf(zone, pick)
        // An occurrence that the clocks skipped before the window may come within it.
        const start = from + DAY_MS / 4 + ms
        const expected = occurrencesOf(cron, zone, from, 3).filter((instant) => instant > start)
        const found: number[] = []
        let at: Date | null = new Date(start)
        while (at && found.length < Math.min(expected.length, COMPARED)) {
          at = nextOccurrence(schedule(cron, zone), at)
          if (at) found.push(at.getTime())
        }
        expect(found).toEqual(expected.slice(0, COMPARED))
      }),
    )
  })

  it('has one next occurrence, whichever instant before it is asked', () => {
    fc.assert(
      fc.property(crons, fc.constantFrom(...ZONES), fc.nat(), fc.nat(DAY_MS * 2), (cron, zone, pick, ms) => {
        const after = new Date(windowOf(zone, pick) + ms)
        const following = nextOccurrence(schedule(cron, zone), after)
        if (!following) return
        const between = new Date((after.getTime() + following.getTime()) / 2)
        expect(following > after).toBe(true)
        expect(nextOccurrence(schedule(cron, zone), between)).toEqual(following)
        expect(nextOccurrence(schedule(cron, zone), new Date(following.getTime() - 1))).toEqual(following)
      }),
    )
  })

  it('makes up the latest of the occurrences that were missed', () => {
    fc.assert(
      fc.property(crons, fc.constantFrom(...ZONES), fc.nat(), fc.nat(DAY_MS * 40), (cron, zone, pick, ms) => {
        const due = nextOccurrence(schedule(cron, zone), new Date(windowOf(zone, pick)))
        if (!due) return
        const now = new Date(due.getTime() + ms)
        const latest = latestOccurrence(schedule(cron, zone), due, now)
        expect(latest >= due && latest <= now).toBe(true)
        const following = nextOccurrence(schedule(cron, zone), latest)
        expect(following === null || following > now).toBe(true)
      }),
    )
  })

  it('finds what was missed in a year of every minute at once', () => {
    const [due, now] = [new Date('2026-01-01T00:00Z'), new Date('2027-01-01T00:00:30Z')]
    expect(latestOccurrence(schedule('* * * * *', 'Europe/Berlin'), due, now)).toEqual(
      new Date('2027-01-01T00:00Z'),
    )
  })
})
