import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hours, positionIn } from '../../src/lib/weekly-hours.ts'

const ZONES = [
  'UTC',
  'Europe/London',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Auckland',
]

/** Instants at which clocks in one of the zones change, in Apia by a whole day. */
const CHANGES = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-10-03T15:30:00Z',
  '2011-12-30T10:00:00Z',
  '2026-03-08T05:30:00Z',
].map((text) => Date.parse(text))

const DAY = 24 * 60
const MINUTE_MS = 60_000
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** The time on a clock on the wall, in minutes of the week. */
function shown(zone: string, instant: number): number {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const)
  const parts = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, value]))
  return WEEKDAYS.indexOf(parts.weekday ?? '') * DAY + Number(parts.hour) * 60 + Number(parts.minute)
}

const isShownIn = (hours: readonly Hours[], zone: string, instant: number): boolean => {
  const minute = shown(zone, instant)
  return hours.some(({ start, end }) => minute >= start && minute < end)
}

/** Hours of some days; some of them meet. */
const weeks: fc.Arbitrary<Hours[]> = fc
  .array(
    fc.record({
      marks: fc.uniqueArray(fc.integer({ min: 0, max: DAY }), { minLength: 2, maxLength: 5 }),
      kept: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    }),
    { minLength: 7, maxLength: 7 },
  )
  .map((days) =>
    days.flatMap(({ marks, kept }, day) => {
      const sorted = [...marks].sort((a, b) => a - b)
      return sorted.slice(1).flatMap((end, index) => {
        const start = sorted[index] ?? 0
        return kept[index] ? [{ start: day * DAY + start, end: day * DAY + end }] : []
      })
    }),
  )

const instants: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2035, 0) }),
  fc
    .record({ change: fc.constantFrom(...CHANGES), minutes: fc.integer({ min: -2 * DAY, max: 2 * DAY }) })
    .map(({ change, minutes }) => change + minutes * MINUTE_MS),
)

describe('a position in weekly hours', () => {
  it('is what clocks in the zone show, and changes exactly when they show something else', () => {
    fc.assert(
      fc.property(
        weeks,
        fc.constantFrom(...ZONES),
        instants,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 }),
        (hours, zone, at, fractions) => {
          const { within, changes_at } = positionIn(hours, zone, new Date(at))
          expect(within).toBe(isShownIn(hours, zone, at))
          const end = changes_at?.getTime() ?? at + 14 * DAY * MINUTE_MS
          expect(end).toBeGreaterThan(at)
          if (changes_at) {
            expect(isShownIn(hours, zone, end)).toBe(!within)
            expect(isShownIn(hours, zone, end - 1)).toBe(within)
          }
          for (const fraction of fractions) {
            const between = at + Math.floor((end - at - 1) * fraction)
            expect(isShownIn(hours, zone, between), new Date(between).toISOString()).toBe(within)
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  const at = (text: string) => new Date(text)
  const changes = (hours: Hours[], zone: string, text: string) => {
    const { within, changes_at } = positionIn(hours, zone, at(text))
    return [within, changes_at?.toISOString() ?? null]
  }
  const sunday = (from: number, to: number): Hours => ({ start: 6 * DAY + from * 60, end: 6 * DAY + to * 60 })

  it('never changes without hours, nor in hours that fill the week', () => {
    expect(changes([], 'Europe/London', '2026-11-20T10:00:00Z')).toEqual([false, null])
    const week = Array.from({ length: 7 }, (_, day) => ({ start: day * DAY, end: (day + 1) * DAY }))
    expect(changes(week, 'Europe/London', '2026-11-20T10:00:00Z')).toEqual([true, null])
  })

  it('goes on where hours meet, also over the end of the week', () => {
    const hours = [{ start: 0, end: 8 * 60 }, sunday(20, 22), sunday(22, 24)]
    expect(changes(hours, 'UTC', '2026-11-22T20:30:00Z')).toEqual([true, '2026-11-23T08:00:00.000Z'])
  })

  it('begins with the hour that is left of hours that clocks skip', () => {
    const london = '2026-03-29T00:30:00Z'
    expect(changes([sunday(1, 3)], 'Europe/London', london)).toEqual([false, '2026-03-29T01:00:00.000Z'])
    expect(changes([sunday(0, 2)], 'Europe/London', london)).toEqual([true, '2026-03-29T01:00:00.000Z'])
  })

  it('leaves out hours that clocks skip wholly, until the week after', () => {
    const skipped = { start: 6 * DAY + 70, end: 6 * DAY + 110 }
    expect(changes([skipped], 'Europe/London', '2026-03-29T00:30:00Z')).toEqual([
      false,
      '2026-04-05T00:10:00.000Z',
    ])
    const friday = { start: 4 * DAY, end: 5 * DAY }
    expect(changes([friday], 'Pacific/Apia', '2011-12-25T00:00:00Z')).toEqual([
      false,
      '2012-01-05T10:00:00.000Z',
    ])
  })

  it('has hours twice that clocks show twice', () => {
    const hours = [{ start: 6 * DAY + 70, end: 6 * DAY + 80 }]
    expect(changes(hours, 'Europe/London', '2026-10-25T00:15:00Z')).toEqual([
      true,
      '2026-10-25T00:20:00.000Z',
    ])
    expect(changes(hours, 'Europe/London', '2026-10-25T00:20:00Z')).toEqual([
      false,
      '2026-10-25T01:10:00.000Z',
    ])
    expect(changes([sunday(0, 3)], 'Europe/London', '2026-10-24T23:00:00Z')).toEqual([
      true,
      '2026-10-25T03:00:00.000Z',
    ])
  })

  it('is read in UTC if the runtime does not know the zone', () => {
    expect(changes([sunday(9, 17)], 'Old/Zone', '2026-11-22T09:00:00Z')).toEqual([
      true,
      '2026-11-22T17:00:00.000Z',
    ])
  })
})
