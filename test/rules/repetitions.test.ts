import { describe, expect, it } from 'vitest'
import { pauseAfter, pauseUnanswered } from '../../src/areas/executions/engine/rules/repetitions.ts'

const HOUR_MS = 3_600_000

describe('the pause before a call is made again', () => {
  const pausesOf = (failure: Partial<Parameters<typeof pauseAfter>[0]>, left_ms = HOUR_MS) => {
    const pauses: number[] = []
    for (let tries = 0; tries < 20; tries++) {
      const whole = { is_repeatable: true, retry_after_seconds: null, is_limit: false, ...failure }
      const pause = pauseAfter(whole, tries, left_ms)
      if (pause === null) return pauses
      pauses.push(pause / 1000)
    }
    return [...pauses.slice(0, 9), '…']
  }

  it.each([
    ['after no answer', {}, [0.25, 1, 4]],
    ['after a refusal', { is_repeatable: false }, []],
    [
      'after an outage before the write, which is waited for',
      { retry_after_seconds: 5 },
      [5, 5, 5, 8, 15, 30, 30],
    ],
    [
      'after a limit, as long as the run has time',
      { retry_after_seconds: 10, is_limit: true },
      [10, 10, 10, 10, 15, 30, 30, 30, 30, '…'],
    ],
    ['after a limit of more than five minutes', { retry_after_seconds: 301, is_limit: true }, []],
  ])('%s', (_what, failure, pauses) => {
    expect(pausesOf(failure)).toEqual(pauses)
  })

  it('is never longer than the time that the run has left', () => {
    const limit = { retry_after_seconds: 20, is_limit: true }
    expect(pausesOf(limit, 20_000)).toEqual([20, 20, 20, 20, 20])
    expect(pausesOf(limit, 19_000)).toEqual([])
  })
})

describe('a system that does not answer what became of a write', () => {
  it('is asked again for a quarter of an hour', () => {
    const pauses: number[] = []
    for (let pause = pauseUnanswered(0); pause !== null; pause = pauseUnanswered(pauses.length))
      pauses.push(pause)
    const whole = pauses.reduce((sum, pause) => sum + pause, 0)
    expect(pauses.slice(0, 3)).toEqual([250, 1000, 4000])
    expect([whole > 14 * 60_000, whole < 16 * 60_000]).toEqual([true, true])
  })
})
