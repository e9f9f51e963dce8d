/** Time limits that stand still while their work waits for its turn. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createDeadline,
  type Deadline,
  underDeadline,
  whileTimeStandsStill,
  withDeadline,
} from '../../src/lib/deadline.ts'

let now = 0
beforeEach(() => {
  now = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The time goes on. */
async function pass(ms: number): Promise<void> {
  for (let step = 0; step < ms; step += 10) {
    now += 10
    await vi.advanceTimersByTimeAsync(10)
  }
}

/** What was told to end has ended. */
const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)

class Late extends Error {}
const late = (): Late => new Late('Too late')
const limit = (ms: number): Deadline => createDeadline(ms, late, () => now)

/** Work that goes on until it is told to end. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { promise, end: () => resolve('done'), fail: (error: Error) => reject(error) }
}

const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

describe('a deadline', () => {
  it('is aborted with the reason when the time is over', async () => {
    const deadline = limit(100)
    await pass(90)
    expect([deadline.signal.aborted, deadline.used()]).toEqual([false, 90])
    await pass(10)
    expect(deadline.signal.reason).toBeInstanceOf(Late)
  })

  it('of no time or less is over at once', async () => {
    const deadlines = [limit(0), limit(-50)]
    await vi.advanceTimersByTimeAsync(1)
    expect(deadlines.map(({ signal }) => signal.aborted)).toEqual([true, true])
  })

  it('stands still until it has gone on as often as it was paused', async () => {
    const deadline = limit(100)
    await pass(30)
    deadline.pause()
    await pass(500)
    deadline.pause()
    await pass(500)
    deadline.goOn()
    await pass(500)
    expect([deadline.signal.aborted, deadline.used()]).toEqual([false, 30])
    deadline.goOn()
    await pass(60)
    expect([deadline.signal.aborted, deadline.used()]).toEqual([false, 90])
    await pass(10)
    expect(deadline.signal.aborted).toBe(true)
  })

  it('uses the time between two pauses', async () => {
    const deadline = limit(100)
    for (let round = 0; round < 4; round++) {
      await pass(20)
      deadline.pause()
      await pass(1000)
      deadline.goOn()
    }
    expect(deadline.used()).toBe(80)
    await pass(20)
    expect(deadline.signal.aborted).toBe(true)
  })

  it('that has ended is never late, and keeps what was used', async () => {
    const deadline = limit(100)
    await pass(40)
    deadline.end()
    await pass(1000)
    expect([deadline.signal.aborted, deadline.used(), vi.getTimerCount()]).toEqual([false, 40, 0])
  })

  it('that has ended does not go on after a pause', async () => {
    const deadline = limit(100)
    deadline.pause()
    deadline.end()
    deadline.goOn()
    await pass(1000)
    expect([deadline.signal.aborted, deadline.used(), vi.getTimerCount()]).toEqual([false, 0, 0])
  })

  it('that ends with a reason is aborted with the reason', () => {
    const deadline = limit(100)
    const reason = new Error('The work has ended')
    deadline.end(reason)
    expect(deadline.signal.reason).toBe(reason)
  })

  it('that was late keeps its reason', async () => {
    const deadline = limit(100)
    await pass(100)
    deadline.end(new Error('The work has ended'))
    expect(deadline.signal.reason).toBeInstanceOf(Late)
  })
})

describe('work with a deadline', () => {
  it('resolves with its result, and ends the deadline', async () => {
    const [deadline, { promise, end }] = [limit(100), work()]
    const result = withDeadline(deadline, () => promise)
    await pass(50)
    end()
    expect(await result).toBe('done')
    await pass(1000)
    expect([deadline.signal.aborted, deadline.used(), vi.getTimerCount()]).toEqual([false, 50, 0])
  })

  it('rejects with its failure, and ends the deadline', async () => {
    const [deadline, { promise, fail }] = [limit(100), work()]
    const outcome = outcomeOf(withDeadline(deadline, () => promise))
    const failure = new Error('No')
    fail(failure)
    expect(await outcome).toBe(failure)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that is late rejects with the reason, whatever the work does later', async () => {
    const [one, other] = [work(), work()]
    const outcomes = [one, other].map(({ promise }) => outcomeOf(withDeadline(limit(100), () => promise)))
    await pass(100)
    one.end()
    other.fail(new Error('No'))
    expect(await Promise.all(outcomes)).toEqual([expect.any(Late), expect.any(Late)])
  })

  it('rejects with the reason with which the deadline is ended', async () => {
    const deadline = limit(100)
    const outcome = outcomeOf(withDeadline(deadline, () => work().promise))
    const reason = new Error('Nobody waits for it')
    deadline.end(reason)
    expect(await outcome).toBe(reason)
  })
})

describe('work that waits for its turn', () => {
  it('stops every limit around it', async () => {
    const [outer, inner, before, turn] = [limit(100), limit(50), work(), work()]
    const result = withDeadline(outer, () =>
      withDeadline(inner, async () => {
        await before.promise
        return await whileTimeStandsStill(() => turn.promise)
      }),
    )
    await pass(30)
    before.end()
    await settled()
    await pass(1000)
    expect([outer.used(), inner.used()]).toEqual([30, 30])
    expect([outer.signal.aborted, inner.signal.aborted]).toEqual([false, false])
    turn.end()
    expect(await result).toBe('done')
  })

  it('lets the limits go on when its turn has come', async () => {
    const [deadline, turn, rest] = [limit(100), work(), work()]
    const outcome = outcomeOf(
      withDeadline(deadline, async () => {
        await whileTimeStandsStill(() => turn.promise)
        return rest.promise
      }),
    )
    await pass(1000)
    turn.end()
    await settled()
    await pass(90)
    expect([deadline.signal.aborted, deadline.used()]).toEqual([false, 90])
    await pass(10)
    expect(await outcome).toBeInstanceOf(Late)
  })

  it('lets the limits go on when the wait fails', async () => {
    const [deadline, turn] = [limit(100), work()]
    const failure = new Error('No turn')
    const outcome = underDeadline(deadline, () => outcomeOf(whileTimeStandsStill(() => turn.promise)))
    await pass(1000)
    turn.fail(failure)
    expect(await outcome).toBe(failure)
    await pass(100)
    expect(deadline.signal.aborted).toBe(true)
  })

  it('beside other work that waits stops the limit until the last has its turn', async () => {
    const [deadline, one, other] = [limit(100), work(), work()]
    const result = withDeadline(deadline, () =>
      Promise.all([one, other].map(({ promise }) => whileTimeStandsStill(() => promise))),
    )
    await pass(1000)
    one.end()
    await pass(1000)
    expect(deadline.used()).toBe(0)
    other.end()
    expect(await result).toEqual(['done', 'done'])
  })

  it('stops no limit of other work', async () => {
    const [own, foreign, turn] = [limit(100), limit(100), work()]
    const outcome = outcomeOf(withDeadline(foreign, () => work().promise))
    const result = withDeadline(own, () => whileTimeStandsStill(() => turn.promise))
    await pass(100)
    expect(await outcome).toBeInstanceOf(Late)
    turn.end()
    expect(await result).toBe('done')
  })

  it('without a limit is done', async () => {
    expect(await whileTimeStandsStill(async () => 'done')).toBe('done')
  })
})
