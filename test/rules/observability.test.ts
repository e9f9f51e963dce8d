import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { funnelOf, MAX_SECONDS, retentionWarnings, windowOf } from '../../src/areas/observability/rules.ts'
import { windowProblem } from '../../src/lib/window.ts'

const DAY = 86_400_000
const now = new Date('2026-11-20T09:30:00.000Z')
const iso = (dates: readonly Date[]) => dates.map((date) => date.toISOString())

describe('the window', () => {
  const [since, until] = [new Date('2026-11-01T00:00:00Z'), new Date('2026-11-03T12:00:00Z')]

  it.each([
    [null, null, '2026-11-19T09:30:00.000Z', '2026-11-20T09:30:00.000Z'],
    [since, null, '2026-11-01T00:00:00.000Z', '2026-11-20T09:30:00.000Z'],
    [null, until, '2026-11-02T12:00:00.000Z', '2026-11-03T12:00:00.000Z'],
    // Before the first instant that can be asked for there is none.
    [null, new Date('0001-01-01T01:00:00Z'), '0001-01-01T00:00:00.000Z', '0001-01-01T01:00:00.000Z'],
    [since, until, '2026-11-01T00:00:00.000Z', '2026-11-03T12:00:00.000Z'],
  ])('of %j and %j is %s to %s', (from, to, first, end) => {
    const window = windowOf(from, to, now)
    expect(iso([window.since, window.until])).toEqual([first, end])
  })

  test('that is accepted is never longer than 7 days, and never empty', () => {
    const instant = fc.option(fc.integer({ min: -20 * DAY, max: 20 * DAY }).map((ms) => new Date(+now + ms)))
    fc.assert(
      fc.property(instant, instant, (from, to) => {
        const window = windowOf(from, to, now)
        const length = +window.until - +window.since
        const problem = windowProblem({ from: window.since, to: window.until }, MAX_SECONDS)
        expect(problem === null).toBe(length > 0 && length <= 7 * DAY)
        expect(problem === 'window_too_large').toBe(length > 7 * DAY)
      }),
    )
  })

  it.each([
    ['2026-10-21T09:30:00.000Z', 0],
    ['2026-10-21T09:29:59.999Z', 1],
    ['0001-01-01T00:00:00.000Z', 1],
  ])('from %s has %i warnings about what is kept', (from, warnings) => {
    expect(retentionWarnings({ since: new Date(from), until: now }, now, 30)).toHaveLength(warnings)
  })
})

describe('a funnel', () => {
  const codes = ['ONE', 'TWO', 'THREE'] as const
  const count = fc.nat(1000)

  test('has every code, whatever was counted, and nothing but numbers', () => {
    const figures = fc.record({
      received: count,
      filtered_out: count,
      processed: count,
      failed: count,
      in_flight: count,
      unique_entities: count,
      webhook_delivery_p95_seconds: count,
      exhausted_count: count,
      max_wait_seconds: count,
      p95_wait_seconds: count,
      limited_count: count,
      max_limit_wait_seconds: count,
      p95_limit_wait_seconds: count,
      p95_actual_work_seconds: count,
      p95_configured_sleep_seconds: count,
      p95_total_duration_seconds: count,
      psa_calls: count,
      psa_failures: count,
      p95_psa_wait_seconds: count,
      evaluated: count,
      finished: count,
      by_change_type: fc.dictionary(fc.constantFrom(...codes, 'GONE'), count),
    })
    fc.assert(
      fc.property(figures, (read) => {
        const funnel = funnelOf(read, codes)
        expect(Object.keys(funnel.callbacks.by_change_type)).toEqual([...codes])
        const { by_change_type, ...callbacks } = funnel.callbacks
        const { callbacks: _callbacks, ...others } = funnel
        const leaves = [callbacks, by_change_type, ...Object.values(others)].flatMap((each) =>
          Object.values(each),
        )
        for (const leaf of leaves) expect(Number.isFinite(leaf)).toBe(true)
      }),
    )
  })
})
