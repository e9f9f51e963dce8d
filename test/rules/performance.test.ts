import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  keptFrom,
  quartersOf,
  since,
  warningsOf,
  wholeDaysOf,
  windowOf,
} from '../../src/areas/performance/rules.ts'
import { startOf } from '../../src/lib/timezone.ts'

const DAY = 86_400_000
const window = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) })

describe('the whole days of a window', () => {
  it.each([
    // Within a day, and over midnight without a whole one: empty, at its end.
    ['2026-03-01T10:00', '2026-03-01T11:00', '2026-03-01T11:00', '2026-03-01T11:00'],
    ['2026-03-01T10:00', '2026-03-02T09:00', '2026-03-02T09:00', '2026-03-02T09:00'],
    ['2026-03-01T10:00', '2026-03-02T00:00', '2026-03-02T00:00', '2026-03-02T00:00'],
    // On the borders of days.
    ['2026-03-01T00:00', '2026-03-02T00:00', '2026-03-01T00:00', '2026-03-02T00:00'],
    ['2026-03-01T00:00', '2026-03-03T00:00', '2026-03-01T00:00', '2026-03-03T00:00'],
    ['2026-03-01T00:00', '2026-03-02T10:00', '2026-03-01T00:00', '2026-03-02T00:00'],
    ['2026-02-27T23:00', '2026-03-01T00:00', '2026-02-28T00:00', '2026-03-01T00:00'],
    ['2026-02-27T23:00', '2026-03-01T01:00', '2026-02-28T00:00', '2026-03-01T00:00'],
  ])('%s to %s are %s to %s', (from, to, first, end) => {
    expect(wholeDaysOf(window(`${from}:00Z`, `${to}:00Z`))).toEqual(window(`${first}:00Z`, `${end}:00Z`))
  })

  test('are in it and whole, and leave less than a day before and after them', () => {
    const near = fc.integer({ min: -3 * DAY, max: 3 * DAY })
    const instant = fc.oneof(
      near,
      near.map((ms) => Math.round(ms / DAY) * DAY + 0),
    )
    fc.assert(
      fc.property(instant, instant, (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)]
        const days = wholeDaysOf({ from: new Date(from), to: new Date(to) })
        const [first, end] = [Number(days.from), Number(days.to)]
        const borders = [from, first, end, to]
        expect(borders).toEqual([...borders].sort((a, b) => a - b))
        expect((end - first) % DAY).toBe(0)
        if (first === end) {
          expect(end).toBe(to)
          expect(to - from).toBeLessThan(2 * DAY)
        } else {
          expect(Math.abs(first % DAY)).toBe(0)
          expect(Math.max(first - from, to - end)).toBeLessThan(DAY)
        }
      }),
    )
  })
})

describe('the window', () => {
  const now = new Date('2026-11-01T02:30:00.000Z')

  it.each([
    ['UTC', '2026-11-01T00:00:00.000Z'],
    ['Europe/London', '2026-11-01T00:00:00.000Z'],
    ['America/New_York', '2026-10-01T04:00:00.000Z'],
    ['America/Los_Angeles', '2026-10-01T07:00:00.000Z'],
    ['Asia/Kathmandu', '2026-10-31T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-10-31T10:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-31T13:00:00.000Z'],
    ['Etc/GMT+12', '2026-10-01T12:00:00.000Z'],
  ])('in %s begins at %s', (zone, from) => {
    expect(windowOf(null, null, now, zone)).toEqual({ from: new Date(from), to: now })
  })

  test('is the one that is asked for', () => {
    const asked = window('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')
    expect(windowOf(asked.from, asked.to, now, 'UTC')).toEqual(asked)
    expect(windowOf(asked.from, null, now, 'UTC')).toEqual({ from: asked.from, to: now })
  })
})

describe('the start of a month', () => {
  it.each([
    // Midnight of 1 October 2017 did not happen in Asunción; that of 1 November 2020 happened twice in Havana.
    ['America/Asuncion', '2017-10-15T12:00:00Z', '2017-10-01T04:00:00.000Z'],
    ['America/Havana', '2020-11-15T12:00:00Z', '2020-11-01T04:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31T12:00:00Z', '2011-12-31T10:00:00.000Z'],
    ['Europe/London', '2026-03-29T12:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['Europe/London', '2026-04-01T12:00:00Z', '2026-03-31T23:00:00.000Z'],
  ])('in %s before %s is %s', (zone, instant, start) => {
    expect(startOf('MONTH', new Date(instant), zone).toISOString()).toBe(start)
  })

  test('is in the month, not after the instant, and a moment earlier was not', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const instants = fc.date({
      min: new Date('1995-01-01'),
      max: new Date('2035-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(zones, instants, (timeZone, instant) => {
        const month = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: 'numeric' })
        const start = startOf('MONTH', instant, timeZone)
        expect(start <= instant).toBe(true)
        expect(month.format(start)).toBe(month.format(instant))
        expect(month.format(start.getTime() - 1)).not.toBe(month.format(instant))
      }),
      { numRuns: 300 },
    )
  })
})

describe('what is kept', () => {
  const now = new Date('2026-11-20T09:30:00.000Z')
  const kept = '2025-10-16T09:30:00.000Z'

  it.each([
    ['2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
    [kept, kept],
    ['2025-10-16T09:29:59.999Z', kept],
    ['0001-01-01T00:00:00.000Z', kept],
  ])('of a window from %s begins at %s', (from, known) => {
    const asked = window(from, '2026-11-20T00:00:00Z')
    const kept_from = keptFrom(now)
    const part = since(asked, kept_from)
    expect(part).toEqual({ from: new Date(known), to: asked.to })
    const warnings = warningsOf({ window: asked, kept_from, tickets: quartersOf(part, false) })
    expect(warnings.map((text) => text.includes(kept))).toEqual(from === known ? [] : [true])
  })

  test('begins on a quarter of an hour', () => {
    expect(keptFrom(new Date('2026-11-20T09:44:59.999Z')).toISOString()).toBe(kept)
  })

  test('of a window before it is nothing', () => {
    const asked = window('2020-01-01T00:00:00Z', '2020-02-01T00:00:00Z')
    expect(since(asked, keptFrom(now))).toEqual({ from: asked.to, to: asked.to })
  })
})
