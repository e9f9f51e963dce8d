import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { deliverySeconds } from '../../src/areas/callbacks/rules/callbacks.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 5, 1) + ms)

describe('the delivery of a callback', () => {
  it.each([
    [1250, 0, 1.25],
    [0, 0, 0],
    [86_400_000, 0, 86_400],
    [0, 1500, 0],
    [0, null, null],
  ])('received at %i, of a change at %j, took %j', (received, changed, seconds) => {
    const times = { received_at: at(received), psa_changed_at: changed === null ? null : at(changed) }
    expect(deliverySeconds(times)).toBe(seconds)
  })

  test('takes no time or more, and is known if the time of the change is', () => {
    const ms = fc.integer({ min: -(10 ** 9), max: 10 ** 9 })
    fc.assert(
      fc.property(ms, fc.option(ms), (received, changed) => {
        const times = { received_at: at(received), psa_changed_at: changed === null ? null : at(changed) }
        const seconds = deliverySeconds(times)
        expect(seconds === null).toBe(changed === null)
        if (seconds !== null) {
          expect(seconds).toBeGreaterThanOrEqual(0)
          expect(seconds * 1000).toBeCloseTo(Math.max(0, received - (changed ?? 0)), 3)
        }
      }),
    )
  })
})
