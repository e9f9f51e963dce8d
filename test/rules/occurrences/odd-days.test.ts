import { CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  latestOccurrence,
  nextOccurrence,
  type Schedule,
  scheduleIn,
} from '../../src/areas/agents/rules/occurrences.ts'
import { wallClock } from '../../src/lib/timezone.ts'

const schedule = (cron: string, timezone = 'UTC', bounds: Partial<Schedule> = {}): Schedule => ({
  ...{ cron, timezone, start_at: null, end_at: null },
  ...bounds,
})

/** The next occurrences, as `MM-DDTHH:MM` in UTC. */
function next(cron: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = []
  let at: Date | null = new Date(after)
  for (let n = 0; n < count && at; n++) {
    at = nextOccurrence(schedule(cron, timezone), at)
    if (at) found.push(at.toISOString().slice(5, 16))
  }
  return found
}

describe('occurrences on odd days', () => {
  it.each<[what: string, cron: string, zone: string, after: string, expected: string[]]>([
    ['in UTC', '0 7 * * 1', 'UTC', '2027-01-01T00:00Z', ['01-04T07:00', '01-11T07:00']],
    ['a time that is now is past', '0 7 * * *', 'UTC', '2027-01-04T07:00Z', ['01-05T07:00']],
    [
      'an hour that does not exist',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:30', '03-29T00:30'],
    ],
    [
      'the instant of the change',
      '0 2 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:00', '03-29T00:00'],
    ],
    ['after the change', '0 3 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['03-28T01:00', '03-29T01:00']],
    [
      'both, at one instant',
      '0 2,3 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:00', '03-29T00:00', '03-29T01:00'],
    ],
    [
      'in their order',
      '15 2,3 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:15', '03-29T00:15', '03-29T01:15'],
    ],
    [
      'every hour over a gap',
      '0 * * * *',
      'Europe/Berlin',
      '2027-03-27T23:30Z',
      ['03-28T00:00', '03-28T01:00', '03-28T02:00'],
    ],
    [
      'every hour, past the hour, over a gap',
      '20 * * * *',
      'Europe/Berlin',
      '2027-03-27T23:30Z',
      ['03-28T00:20', '03-28T01:20'],
    ],
    [
      'an hour that happens twice',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-10-30T12:00Z',
      ['10-31T00:30', '11-01T01:30'],
    ],
    [
      'it happens once, asked for between the two',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-10-31T01:10Z',
      ['11-01T01:30'],
    ],
    [
      'it happens once, asked for in the first',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-10-31T00:45Z',
      ['11-01T01:30'],
    ],
    [
      'every hour over a repeated one',
      '0 * * * *',
      'Europe/Berlin',
      '2027-10-30T23:30Z',
      ['10-31T00:00', '10-31T01:00', '10-31T02:00'],
    ],
    [
      'every half hour',
      '*/30 * * * *',
      'Europe/Berlin',
      '2027-10-30T23:40Z',
      ['10-31T00:00', '10-31T00:30', '10-31T01:00', '10-31T01:30', '10-31T02:00'],
    ],
    ['in America', '30 1 * * *', 'America/New_York', '2027-11-06T12:00Z', ['11-07T05:30', '11-08T06:30']],
    [
      'half an hour that does not exist',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2027-10-01T20:00Z',
      ['10-02T15:45', '10-03T15:15'],
    ],
    [
      'half an hour that happens twice',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2027-04-03T12:00Z',
      ['04-03T14:45', '04-04T15:15'],
    ],
    [
      'every quarter, in half an hour twice',
      '*/15 * * * *',
      'Australia/Lord_Howe',
      '2027-04-03T14:40Z',
      ['04-03T14:45', '04-03T15:00', '04-03T15:15', '04-03T15:30', '04-03T15:45'],
    ],
    [
      'every quarter, over half an hour',
      '*/15 * * * *',
      'Australia/Lord_Howe',
      '2027-10-02T15:10Z',
      ['10-02T15:15', '10-02T15:30', '10-02T15:45', '10-02T16:00'],
    ],
    [
      'every hour, in half an hour twice',
      '0 * * * *',
      'Australia/Lord_Howe',
      '2027-04-03T13:10Z',
      ['04-03T14:00', '04-03T15:30', '04-03T16:30'],
    ],
    [
      'every hour, over half an hour',
      '0 * * * *',
      'Australia/Lord_Howe',
      '2027-10-02T13:40Z',
      ['10-02T14:30', '10-02T16:00', '10-02T17:00'],
    ],
    [
      'midnight does not exist',
      '0 0 * * *',
      'America/Santiago',
      '2027-09-04T12:00Z',
      ['09-05T04:00', '09-06T03:00'],
    ],
    [
      'half past midnight does not exist',
      '30 0 * * *',
      'America/Santiago',
      '2027-09-04T12:00Z',
      ['09-05T04:30', '09-06T03:30'],
    ],
    [
      'a Sunday without midnight',
      '0 0 * * 0',
      'America/Santiago',
      '2027-09-04T12:00Z',
      ['09-05T04:00', '09-12T03:00'],
    ],
    [
      'the hour before midnight twice',
      '30 23 * * *',
      'America/Santiago',
      '2027-04-03T12:00Z',
      ['04-04T02:30', '04-05T03:30'],
    ],
    ['midnight twice', '30 0 * * *', 'America/Havana', '2027-11-06T12:00Z', ['11-07T04:30', '11-08T05:30']],
    [
      'zones with quarters',
      '0 9 * * *',
      'Asia/Kathmandu',
      '2027-01-01T00:00Z',
      ['01-01T03:15', '01-02T03:15'],
    ],
    [
      'the last day of the month',
      '0 9 L * *',
      'Europe/London',
      '2027-01-15T00:00Z',
      ['01-31T09:00', '02-28T09:00', '03-31T08:00'],
    ],
    [
      'the 31st',
      '0 9 31 * *',
      'Europe/London',
      '2027-01-15T00:00Z',
      ['01-31T09:00', '03-31T08:00', '05-31T08:00'],
    ],
    ['the last Friday', '0 9 * * 5L', 'Europe/London', '2027-01-15T00:00Z', ['01-29T09:00', '02-26T09:00']],
    ['the fifth Monday', '0 9 * * 1#5', 'Europe/London', '2027-01-15T00:00Z', ['03-29T08:00', '05-31T08:00']],
    [
      'a day of the month or of the week',
      '0 9 13 * 5',
      'UTC',
      '2027-08-10T00:00Z',
      ['08-13T09:00', '08-20T09:00', '08-27T09:00', '09-03T09:00', '09-10T09:00', '09-13T09:00'],
    ],
    [
      'every minute, from within one',
      '* * * * *',
      'Europe/Berlin',
      '2027-03-28T00:58:30.500Z',
      ['03-28T00:59', '03-28T01:00', '03-28T01:01'],
    ],
  ])('%s: %s in %s', (_what, cron, zone, after, expected) => {
    expect(next(cron, zone, after, expected.length)).toEqual(expected)
  })

  it('29 February is in leap years', () => {
    const leap = schedule('0 9 29 2 *')
    expect(nextOccurrence(leap, new Date('2027-01-01'))?.toISOString()).toBe('2028-02-29T09:00:00.000Z')
    expect(nextOccurrence(leap, new Date('2097-01-01'))?.toISOString()).toBe('2104-02-29T09:00:00.000Z')
  })

  it('the bounds of a schedule: from start_at on, and before end_at', () => {
    const [start_at, end_at] = [new Date('2027-02-01T09:00Z'), new Date('2027-02-03T09:00Z')]
    const bounded = schedule('0 9 * * *', 'UTC', { start_at, end_at })
    const firstAfter = (text: string) => nextOccurrence(bounded, new Date(text))?.toISOString() ?? null
    expect(firstAfter('2027-01-01T00:00Z')).toBe('2027-02-01T09:00:00.000Z')
    expect(firstAfter('2027-02-01T09:00Z')).toBe('2027-02-02T09:00:00.000Z')
    expect(firstAfter('2027-02-02T09:00Z')).toBeNull()
    expect(firstAfter('2028-01-01T00:00Z')).toBeNull()
  })
})

describe('a stored schedule', () => {
  it('is read with its defaults', () => {
    expect(scheduleIn({ cron: '0 9 * * *' })).toEqual(schedule('0 9 * * *'))
    const bounds = { start_at: '2027-01-01', end_at: '2027-02-01T10:00:00+01:00' }
    expect(scheduleIn({ cron: '0 9 * * *', timezone: 'Asia/Tokyo', ...bounds })).toEqual(
      schedule('0 9 * * *', 'Asia/Tokyo', {
        start_at: new Date('2027-01-01T00:00Z'),
        end_at: new Date('2027-02-01T09:00Z'),
      }),
    )
    for (const none of [null, [], {}, { cron: 5 }, 'x']) expect(scheduleIn(none)).toBeNull()
  })
})

const ZONES = [
  ...[
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Santiago',
    'America/Havana',
  ],
  ...[
    'Asia/Kathmandu',
    'Africa/Casablanca',
    'Europe/Dublin',
    'Pacific/Chatham',
    'America/St_Johns',
    'Africa/Cairo',
  ],
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

/** The days of 2027 on which each zone changes its offset; any day, where it never does. */
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
        // What the clocks skipped before the window may come within it.
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
