import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { bucketsOf, GRANULARITIES } from '../../src/lib/buckets.ts'

const window = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) })
const startsOf = (buckets: { from: Date }[]) => buckets.map(({ from }) => from.toISOString())

describe('the buckets of a window', () => {
  it.each([
    // A spring day in London has 23 hours, and begins an hour earlier in UTC from then on.
    [
      'Europe/London',
      'DAY',
      '2026-03-28T12:00:00Z',
      '2026-03-30T12:00:00Z',
      ['03-28T12:00', '03-29T00:00', '03-29T23:00'],
    ],
    // Sunday belongs to the week before.
    [
      'UTC',
      'WEEK',
      '2026-03-01T00:00:00Z',
      '2026-03-10T00:00:00Z',
      ['03-01T00:00', '03-02T00:00', '03-09T00:00'],
    ],
    [
      'Asia/Kathmandu',
      'MONTH',
      '2026-01-31T00:00:00Z',
      '2026-03-01T00:00:00Z',
      ['01-31T00:00', '01-31T18:15', '02-28T18:15'],
    ],
    [
      'Asia/Kathmandu',
      'HOUR',
      '2026-01-31T00:30:00Z',
      '2026-01-31T02:00:00Z',
      ['01-31T00:30', '01-31T01:00'],
    ],
  ] as const)('in %s by %s from %s to %s', (zone, granularity, from, to, starts) => {
    expect(startsOf(bucketsOf(window(from, to), granularity, zone))).toEqual(
      starts.map((start) => `2026-${start}:00.000Z`),
    )
  })

  test('have no day that Samoa skipped', () => {
    const days = bucketsOf(window('2011-12-29T10:00:00Z', '2012-01-01T10:00:00Z'), 'DAY', 'Pacific/Apia')
    expect(startsOf(days)).toEqual([
      '2011-12-29T10:00:00.000Z',
      '2011-12-30T10:00:00.000Z',
      '2011-12-31T10:00:00.000Z',
    ])
  })

  test.each(['America/New_York', 'UTC', 'Asia/Kathmandu'])(
    'in %s are days from the first year on',
    (zone) => {
      for (const year of ['0001', '0050', '0099']) {
        const days = bucketsOf(window(`${year}-01-01T00:00:00Z`, `${year}-01-08T00:00:00Z`), 'DAY', zone)
        expect(days).toHaveLength(zone === 'UTC' ? 7 : 8)
        expect(days.every(({ from, to }) => to.getTime() - from.getTime() <= 86_400_000)).toBe(true)
      }
    },
  )

  test('cover it without gaps, and each is in one unit of the zone', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const instants = fc.date({
      min: new Date('2010-01-01'),
      max: new Date('2035-01-01'),
      noInvalidDate: true,
    })
    const lengths = fc.integer({ min: 0, max: 20 * 86_400_000 })
    fc.assert(
      fc.property(zones, instants, lengths, fc.constantFrom(...GRANULARITIES), (timeZone, from, ms, unit) => {
        const to = new Date(from.getTime() + ms)
        const buckets = bucketsOf({ from, to }, unit, timeZone)
        expect(buckets.length === 0).toBe(ms === 0)
        const borders = [from, ...buckets.map((bucket) => bucket.to)]
        expect(buckets.map((bucket) => bucket.from)).toEqual(borders.slice(0, -1))
        expect(borders.at(-1)).toEqual(to)
        const day = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' })
        for (const bucket of unit === 'DAY' ? buckets : []) {
          expect(bucket.from < bucket.to).toBe(true)
          expect(day.format(bucket.from)).toBe(day.format(bucket.to.getTime() - 1))
        }
      }),
      { numRuns: 200 },
    )
  })
})
