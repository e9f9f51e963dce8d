/** The admission of waiting callbacks to their processing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  AT_ONCE,
  admitted,
  afterFailure,
  type Gate,
  GROUP,
  probedAt,
  waited,
} from '../../src/areas/callbacks/rules/admission.ts'

const at = (seconds: number): Date => new Date(Date.UTC(2026, 5, 1) + seconds * 1000)
const NOW = at(0)
const SHUT: Gate = { opens_at: at(1), short_since: null, away_since: null, failures: 0 }
const OPENED: Gate = { ...SHUT, opens_at: NOW }
const AWAY: Gate = { ...OPENED, away_since: at(-60), failures: 3 }

/** Seconds before now. */
const past = fc.integer({ min: -100_000, max: 0 }).map(at)
const gates: fc.Arbitrary<Gate> = fc.record({
  opens_at: fc.integer({ min: -1000, max: 1000 }).map(at),
  short_since: fc.option(past),
  away_since: fc.option(past),
  failures: fc.nat(10),
})
const queues = fc.record({
  now: fc.constant(NOW),
  busy: fc.nat(AT_ONCE + 5),
  waiting: fc.nat(AT_ONCE + 1),
  gate: fc.option(gates),
  is_grouped: fc.boolean(),
})

describe('the callbacks that are admitted', () => {
  it.each([
    // gate, busy, waiting, is_grouped, admitted
    ['open', null, 0, 0, true, 0],
    ['open', null, 0, 1, true, 1],
    ['open', null, 0, AT_ONCE + 1, true, GROUP],
    ['open', null, 0, AT_ONCE + 1, false, GROUP],
    ['open', null, AT_ONCE - GROUP, AT_ONCE + 1, true, GROUP],
    ['open', null, AT_ONCE - GROUP + 1, AT_ONCE + 1, true, 0],
    ['open', null, AT_ONCE - GROUP + 1, AT_ONCE + 1, false, GROUP - 1],
    ['open', null, AT_ONCE - 3, 3, true, 3],
    ['open', null, AT_ONCE - 3, 4, true, 0],
    ['open', null, AT_ONCE, 5, true, 0],
    ['open', null, AT_ONCE, 5, false, 0],
    ['open', null, AT_ONCE + 2, 1, true, 0],
    ['shut', SHUT, 0, AT_ONCE, true, 0],
    ['shut, away', { ...AWAY, opens_at: at(1) }, 0, AT_ONCE, true, 0],
    ['opened', OPENED, 0, 4, true, 4],
    ['away', AWAY, 0, AT_ONCE, true, 1],
    ['away', AWAY, 0, 0, true, 0],
    ['away', AWAY, 1, AT_ONCE, true, 0],
  ])('gate %s (%j), %i busy, %i waiting, grouped %j: %i', (_name, gate, busy, waiting, is_grouped, count) => {
    expect(admitted({ now: NOW, gate, busy, waiting, is_grouped })).toBe(count)
  })

  it('are never more than wait, than a group, or than are processed at once', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        const count = admitted(queue)
        expect(count).toBeGreaterThanOrEqual(0)
        expect(count).toBeLessThanOrEqual(Math.min(queue.waiting, GROUP))
        if (count > 0) expect(queue.busy + count).toBeLessThanOrEqual(AT_ONCE)
      }),
    )
  })

  it('are whole groups when more wait than there are slots', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        fc.pre(queue.waiting > AT_ONCE - queue.busy)
        const count = admitted({ ...queue, gate: null, is_grouped: true })
        expect([0, GROUP]).toContain(count)
        expect(count === GROUP).toBe(AT_ONCE - queue.busy >= GROUP)
      }),
    )
  })

  it('are one at a time while the PSA is away', () => {
    fc.assert(
      fc.property(queues, past, (queue, away_since) => {
        const count = admitted({ ...queue, gate: { ...OPENED, away_since } })
        expect(count).toBe(queue.busy === 0 && queue.waiting > 0 ? 1 : 0)
      }),
    )
  })

  it('are none before the gate opens', () => {
    fc.assert(
      fc.property(queues, gates, fc.integer({ min: 1, max: 1000 }), (queue, gate, seconds) => {
        expect(admitted({ ...queue, gate: { ...gate, opens_at: at(seconds) } })).toBe(0)
      }),
    )
  })

  it('come to all that wait, however they end', () => {
    const steps = fc.array(fc.record({ come: fc.nat(12), end: fc.nat(12) }), { maxLength: 30 })
    fc.assert(
      fc.property(steps, fc.boolean(), (all, is_grouped) => {
        let [busy, waiting] = [0, 0]
        const admitAll = () => {
          for (;;) {
            const seen = Math.min(waiting, AT_ONCE + 1)
            const count = admitted({ now: NOW, gate: null, busy, waiting: seen, is_grouped })
            if (count === 0) return
            busy += count
            waiting -= count
          }
        }
        for (const { come, end } of all) {
          waiting += come
          busy -= Math.min(busy, end)
          admitAll()
          expect(busy).toBeLessThanOrEqual(AT_ONCE)
        }
        while (waiting > 0) {
          expect(busy).toBeGreaterThan(0)
          busy--
          admitAll()
        }
      }),
    )
  })
})

describe('the gate after an attempt that the PSA did not answer', () => {
  it('is away after the third in a row, and keeps since when it is', () => {
    const first = afterFailure(null, at(0))
    const second = afterFailure(first, at(1))
    const third = afterFailure(second, at(2))
    const fourth = afterFailure(third, at(7))
    expect([first, second, third, fourth]).toEqual([
      { opens_at: at(0), short_since: null, away_since: null, failures: 1 },
      { opens_at: at(0), short_since: null, away_since: null, failures: 2 },
      { opens_at: at(7), short_since: null, away_since: at(2), failures: 3 },
      { opens_at: at(12), short_since: null, away_since: at(2), failures: 4 },
    ])
  })

  it('keeps since when the requests are short, and is not opened by a failure', () => {
    const gate = { opens_at: at(30), short_since: at(-10), away_since: null, failures: 0 }
    expect(afterFailure(gate, NOW)).toEqual({ ...gate, failures: 1 })
  })

  it('counts every failure, and is away from then on', () => {
    fc.assert(
      fc.property(gates, (gate) => {
        const next = afterFailure(gate, NOW)
        expect(next.failures).toBe(gate.failures + 1)
        expect(next.short_since).toEqual(gate.short_since)
        if (gate.away_since) expect(next.away_since).toEqual(gate.away_since)
        if (next.failures >= 3) expect(next.away_since).not.toBeNull()
        if (next.away_since) expect(next.opens_at.getTime()).toBeGreaterThan(NOW.getTime())
      }),
    )
  })
})

describe('the next attempt at a PSA that is away', () => {
  it.each([
    [0, 5],
    [59, 5],
    [60, 15],
    [14 * 60 + 59, 15],
    [15 * 60, 60],
    [24 * 3600, 60],
  ])('%i seconds after it went away is %i seconds later', (away, pause) => {
    const gate = { ...AWAY, away_since: at(-away) }
    expect(probedAt(gate, NOW)).toEqual({ ...gate, opens_at: at(pause) })
  })

  it('is not put off while the PSA is not away', () => {
    expect(probedAt(SHUT, NOW)).toBe(SHUT)
  })
})

describe('the wait of a callback', () => {
  it.each([
    // since, short_since, away_since, for_slot, for_psa
    ['open', -30, null, null, 30, 0],
    ['short before it came', -30, -60, null, 0, 30],
    ['short while it waited', -30, -10, null, 20, 10],
    ['short as it came', -30, -30, null, 0, 30],
    ['away before it came', -30, null, -60, 0, 0],
    ['away while it waited', -30, null, -10, 20, 0],
    ['away and short', -30, -20, -10, 20, 0],
    ['come later than now', 5, null, null, 0, 0],
    ['come later than now, short', 5, -10, null, 0, 0],
  ])('%s', (_name, since, short, away, for_slot, for_psa) => {
    const time = (seconds: number | null) => (seconds === null ? null : at(seconds))
    const gate = { ...OPENED, short_since: time(short), away_since: time(away) }
    expect(waited(at(since), gate, NOW)).toEqual({ for_slot, for_psa })
  })

  it('without a gate was for a slot', () => {
    expect(waited(at(-12.5), null, NOW)).toEqual({ for_slot: 12.5, for_psa: 0 })
  })

  it('is split into parts that add up to the wait, or to less while the PSA is away', () => {
    fc.assert(
      fc.property(past, fc.option(gates), (since, gate) => {
        const { for_slot, for_psa } = waited(since, gate, NOW)
        const wait = (NOW.getTime() - since.getTime()) / 1000
        expect(Math.min(for_slot, for_psa)).toBeGreaterThanOrEqual(0)
        if (gate?.away_since) expect(for_slot + for_psa).toBeLessThanOrEqual(wait)
        else expect(for_slot + for_psa).toBe(wait)
      }),
    )
  })
})
