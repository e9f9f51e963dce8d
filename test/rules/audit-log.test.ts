import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  byDay,
  countedWindow,
  keptFrom,
  MAX_TEXT,
  retentionWarnings,
  startOf,
  storedArguments,
  storedText,
} from '../../src/areas/audit-log/rules.ts'
import { isStorable } from '../../src/lib/text.ts'
import { localDate } from '../../src/lib/timezone.ts'

const NOW = new Date('2026-11-01T12:00:00.000Z')
const DAY = 86_400_000
const ago = (days: number): Date => new Date(NOW.getTime() - days * DAY)

describe('the window of a log', () => {
  test('starts 30 days ago, or 400, and later if that is asked for', () => {
    expect(keptFrom('audit_log', NOW)).toEqual(ago(30))
    expect(keptFrom('activity_log', NOW)).toEqual(ago(400))
    expect(startOf('audit_log', undefined, NOW)).toEqual(ago(30))
    expect(startOf('audit_log', ago(31), NOW)).toEqual(ago(30))
    expect(startOf('audit_log', ago(29), NOW)).toEqual(ago(29))
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (from) => {
        const start = startOf('audit_log', from, NOW)
        expect(start >= ago(30)).toBe(true)
        expect([from.getTime(), ago(30).getTime()]).toContain(start.getTime())
      }),
    )
  })

  test.each([
    [{}, 0],
    [{ from: ago(30) }, 0],
    [{ from: ago(30.001) }, 1],
    [{ to: ago(29.999) }, 0],
    [{ to: ago(30) }, 1],
    [{ from: ago(40), to: ago(35) }, 1],
    [{ from: ago(29), to: ago(1) }, 0],
  ])('%o has so many warnings: %i', (window, count) => {
    const warnings = retentionWarnings('audit_log', window, NOW)
    expect(warnings).toHaveLength(count)
    for (const warning of warnings) expect(warning).toContain(`30 days, from ${ago(30).toISOString()} on`)
  })
})

/** Every text in the value, names of fields included. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return [...Object.keys(value), ...Object.values(value).flatMap(textsIn)]
}

const anyText = fc.string({ unit: 'binary', maxLength: 50 })
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), anyText, fc.constant('x'.repeat(3000))),
    fc.array(tie('value'), { maxLength: 120 }),
    fc.dictionary(anyText, tie('value')),
  ),
})).value

describe('what is stored of the arguments', () => {
  test('can be stored, is at most 16 KiB, and is all there if it is not truncated', {
    timeout: 120_000,
  }, () => {
    fc.assert(
      fc.property(anyJson, (given) => {
        const { value, truncated } = storedArguments(given)
        expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(16 * 1024)
        for (const text of textsIn(value)) {
          expect(isStorable(text)).toBe(true)
          expect(text.length).toBeLessThanOrEqual(MAX_TEXT)
        }
        if (!truncated && textsIn(given).every(isStorable)) expect(value).toEqual(given ?? {})
        expect(storedArguments(value)).toEqual({ value, truncated: false })
      }),
    )
  })

  it.each([
    ['no arguments', undefined, {}],
    ['a long list', { ids: Array(101).fill(1) }, { ids: Array(100).fill(1) }],
    ['a long text', { text: 'x'.repeat(2001) }, { text: `${'x'.repeat(1999)}…` }],
    [
      'too many fields',
      Object.fromEntries(
        Array(9)
          .fill(0)
          .map((_, n) => [n, 'x'.repeat(2000)]),
      ),
      { bytes: 18_064 },
    ],
  ])('of %s is cut', (_name, given, value) => expect(storedArguments(given).value).toEqual(value))

  it('of deep nesting ends at 20 levels', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 30; level++) deep = [deep]
    const { value, truncated } = storedArguments(deep)
    expect([JSON.stringify(value), truncated]).toEqual([`${'['.repeat(20)}"…"${']'.repeat(20)}`, true])
  })
})

test('a text is cut to 2,000 characters, and not within one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(2100), (text, length) => {
      const stored = storedText('😀'.repeat(length / 2) + text)
      expect(isStorable(stored)).toBe(true)
      expect(stored.length).toBeLessThanOrEqual(MAX_TEXT)
    }),
  )
  expect(storedText('x'.repeat(2000))).toBe('x'.repeat(2000))
})

describe('what is counted by day', () => {
  test('is everything, on the days of the window and no others', () => {
    const QUARTER = 15 * 60_000
    const zone = fc.constantFrom('UTC', 'Europe/London', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia')
    const quarters = fc.array(fc.record({ at: fc.nat(30 * 96 - 1), total: fc.nat(9), failed: fc.nat(9) }))
    fc.assert(
      fc.property(zone, fc.nat(30 * DAY), quarters, (name, start, calls) => {
        // Daylight saving ends in it.
        const window = { from: new Date(ago(30).getTime() + Math.floor(start / 2)), to: NOW }
        const first = Math.floor(window.from.getTime() / QUARTER) * QUARTER
        const counted = calls.flatMap(({ at, total, failed }) => {
          const key = new Date(first + at * QUARTER)
          return key < window.to ? [{ key, total, failed, succeeded: 1, denied: 0 }] : []
        })
        const days = byDay(window, name, counted)
        const dates = days.map(({ key }) => key)
        expect(dates).toEqual([...new Set(dates)].sort())
        expect([dates[0], dates.at(-1)]).toEqual([
          localDate(window.from, name),
          localDate(new Date(window.to.getTime() - 1), name),
        ])
        for (const field of ['total', 'failed', 'succeeded', 'denied'] as const) {
          const sum = (rows: readonly { [Name in typeof field]: number }[]) =>
            rows.reduce((all, row) => all + row[field], 0)
          expect(sum(days)).toBe(sum(counted))
          for (const { key, ...day } of days) {
            const own = counted.filter((row) => {
              const at = row.key < window.from ? window.from : row.key
              return localDate(at, name) === key
            })
            expect(day[field]).toBe(sum(own))
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    [{}, { from: ago(30), to: NOW }],
    [
      { from: ago(40), to: ago(2) },
      { from: ago(30), to: ago(2) },
    ],
    [{ to: ago(31) }, { from: ago(31), to: ago(31) }],
    [{ from: ago(3) }, { from: ago(3), to: NOW }],
  ])('the window %o is %o', (given, window) => expect(countedWindow(given, NOW)).toEqual(window))
})
