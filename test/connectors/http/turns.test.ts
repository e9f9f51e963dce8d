/** The turns of requests, with a budget that is played. */
import { describe, expect, it } from 'vitest'
import { type BudgetOwner, LEFT_SECONDS, type Taken } from '../../../src/connectors/budget.ts'
import { createTurns, type Turn } from '../../../src/connectors/http/turns.ts'
import type { Pace } from '../../../src/connectors/port.ts'
import { until } from '../../setup/until.ts'

const OWNER: BudgetOwner = { system: 'AUTOTASK_PSA', tenant_id: 'ten_1' }
const PACES: readonly Pace[] = ['PERSON', 'AGENT', 'CALLBACK', 'SYNC']

class Late extends Error {
  readonly wait_seconds: number
  constructor(wait_seconds: number) {
    super('The turn does not come in time')
    this.wait_seconds = wait_seconds
  }
}

const turn = (pace: Pace, more: Partial<Turn> = {}): Turn => ({
  pace,
  patience_ms: 600_000,
  signal: new AbortController().signal,
  late: (wait_seconds) => new Late(wait_seconds),
  ...more,
})

/** A budget with so many requests, which more can be added to. */
function played(available = 0, wait_seconds = 0.001) {
  const budget = {
    available,
    given_back: 0,
    async take(_owner: BudgetOwner, wanted: number): Promise<Taken> {
      const taken = Math.min(budget.available, wanted)
      budget.available -= taken
      return { taken, wait_seconds: taken < wanted ? wait_seconds : 0 }
    },
    giveBack(_owner: BudgetOwner, requests: number): void {
      budget.given_back += requests
    },
  }
  return budget
}

interface Ask {
  owner: BudgetOwner
  wanted: number
  left_seconds: number
  answer(taken: Taken): void
  fail(error: Error): void
}

/** A budget that is answered by hand. */
function byHand() {
  const asks: Ask[] = []
  const given_back: number[] = []
  let seen = 0
  const budget = {
    take(owner: BudgetOwner, wanted: number, left_seconds: number): Promise<Taken> {
      const { promise, resolve, reject } = Promise.withResolvers<Taken>()
      asks.push({ owner, wanted, left_seconds, answer: resolve, fail: reject })
      return promise
    },
    giveBack(_owner: BudgetOwner, requests: number): void {
      given_back.push(requests)
    },
  }
  const next = async (): Promise<Ask> => {
    await until(() => asks.length > seen)
    return asks[seen++] as Ask
  }
  return { budget, given_back, next, asked: () => asks.length }
}

const outcomeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'begun',
    (error: unknown) => error,
  )

describe('the order of turns', () => {
  it('is that of who asks, and among equals that in which they came', async () => {
    const budget = played()
    const turns = createTurns(budget)
    const begun: string[] = []
    const came: [Pace, number][] = [3, 1, 2, 0, 0, 3, 2, 1].map((rank, index) => [PACES[rank] as Pace, index])
    for (const [pace, index] of came)
      void turns.wait(OWNER, turn(pace)).then(() => begun.push(`${pace} ${index}`))
    for (const count of came.keys()) {
      expect(begun).toHaveLength(count)
      budget.available++
      await until(() => begun.length > count)
    }
    expect(begun).toEqual([
      'PERSON 3',
      'PERSON 4',
      'AGENT 1',
      'AGENT 7',
      'CALLBACK 2',
      'CALLBACK 6',
      'SYNC 0',
      'SYNC 5',
    ])
    expect(budget.given_back).toBe(0)
  })

  it('is the same when the budget has requests for all', async () => {
    const budget = played()
    const turns = createTurns(budget)
    const begun: Pace[] = []
    const waits = PACES.toReversed().map((pace) => turns.wait(OWNER, turn(pace)).then(() => begun.push(pace)))
    budget.available = 10
    await Promise.all(waits)
    expect(begun).toEqual(PACES)
    expect(budget.available).toBe(6)
  })

  it.each(PACES)('leaves the share of the budget to those before %s', async (pace) => {
    const { budget, next } = byHand()
    const turns = createTurns(budget)
    const outcome = outcomeOf(turns.wait(OWNER, turn(pace)))
    const ask = await next()
    expect(ask).toMatchObject({ owner: OWNER, wanted: 1, left_seconds: LEFT_SECONDS[pace] })
    ask.answer({ taken: 1, wait_seconds: 0 })
    expect(await outcome).toBe('begun')
  })

  it('takes requests for all equals at once', async () => {
    const { budget, next, asked } = byHand()
    const turns = createTurns(budget)
    const first = outcomeOf(turns.wait(OWNER, turn('SYNC')))
    const ask = await next()
    const others = Array.from({ length: 5 }, () => outcomeOf(turns.wait(OWNER, turn('SYNC'))))
    ask.answer({ taken: 1, wait_seconds: 0 })
    expect(await first).toBe('begun')
    const second = await next()
    expect(second.wanted).toBe(5)
    second.answer({ taken: 5, wait_seconds: 0 })
    expect(await Promise.all(others)).toEqual(Array(5).fill('begun'))
    expect(asked()).toBe(2)
  })

  it('leaves the more, the later the turn', () => {
    const seconds = PACES.map((pace) => LEFT_SECONDS[pace])
    expect(seconds).toEqual(seconds.toSorted((one, other) => one - other))
    expect(LEFT_SECONDS.PERSON).toBe(0)
  })

  it('lets a person go before work whose pause is long', async () => {
    const { budget, next } = byHand()
    const turns = createTurns(budget)
    const sync = outcomeOf(turns.wait(OWNER, turn('SYNC')))
    ;(await next()).answer({ taken: 0, wait_seconds: 60 })
    const person = outcomeOf(turns.wait(OWNER, turn('PERSON', { patience_ms: 1000 })))
    const ask = await next()
    expect(ask).toMatchObject({ wanted: 1, left_seconds: 0 })
    ask.answer({ taken: 1, wait_seconds: 0 })
    expect(await person).toBe('begun')
    ;(await next()).answer({ taken: 1, wait_seconds: 0 })
    expect(await sync).toBe('begun')
  })

  it('lets a person who comes while the budget is asked for others have a turn of the person’s own', async () => {
    const { budget, next } = byHand()
    const turns = createTurns(budget)
    const sync = outcomeOf(turns.wait(OWNER, turn('SYNC')))
    const ask = await next()
    const person = outcomeOf(turns.wait(OWNER, turn('PERSON', { patience_ms: 1000 })))
    ask.answer({ taken: 0, wait_seconds: 60 })
    const second = await next()
    expect(second).toMatchObject({ wanted: 1, left_seconds: 0 })
    second.answer({ taken: 1, wait_seconds: 0 })
    expect(await person).toBe('begun')
    ;(await next()).answer({ taken: 1, wait_seconds: 0 })
    expect(await sync).toBe('begun')
  })
})

describe('a turn that nobody waits for any more', () => {
  const reason = new Error('Nobody waits')

  it('is not asked for', async () => {
    const { budget, asked } = byHand()
    const wait = createTurns(budget).wait(OWNER, turn('SYNC', { signal: AbortSignal.abort(reason) }))
    expect(await outcomeOf(wait)).toBe(reason)
    expect(asked()).toBe(0)
  })

  it('takes nothing: what was taken for it is given back', async () => {
    const { budget, next, given_back } = byHand()
    const turns = createTurns(budget)
    const [left, other] = [new AbortController(), new AbortController()]
    const outcomes = [left, other].map(({ signal }) => outcomeOf(turns.wait(OWNER, turn('SYNC', { signal }))))
    ;(await next()).answer({ taken: 0, wait_seconds: 0.001 })
    const ask = await next()
    expect(ask.wanted).toBe(2)
    left.abort(reason)
    ask.answer({ taken: 2, wait_seconds: 0 })
    expect(await Promise.all(outcomes)).toEqual([reason, 'begun'])
    expect(given_back).toEqual([1])
  })

  it('lets the next have what was taken for it', async () => {
    const { budget, next, given_back } = byHand()
    const turns = createTurns(budget)
    const left = new AbortController()
    const outcomes = [left.signal, turn('SYNC').signal].map((signal) =>
      outcomeOf(turns.wait(OWNER, turn('SYNC', { signal }))),
    )
    ;(await next()).answer({ taken: 0, wait_seconds: 0.001 })
    const ask = await next()
    left.abort(reason)
    ask.answer({ taken: 1, wait_seconds: 60 })
    expect(await Promise.all(outcomes)).toEqual([reason, 'begun'])
    expect(given_back).toEqual([])
  })

  it('that leaves in a pause takes nothing, and lets the next come', async () => {
    const budget = played()
    const turns = createTurns(budget)
    const left = new AbortController()
    const outcome = outcomeOf(turns.wait(OWNER, turn('PERSON', { signal: left.signal })))
    const other = outcomeOf(turns.wait(OWNER, turn('SYNC')))
    left.abort(reason)
    budget.available = 1
    expect(await Promise.all([outcome, other])).toEqual([reason, 'begun'])
    expect([budget.available, budget.given_back]).toEqual([0, 0])
  })

  it('leaves no queue behind', async () => {
    const budget = played()
    const turns = createTurns(budget)
    const left = new AbortController()
    const outcome = outcomeOf(turns.wait(OWNER, turn('SYNC', { signal: left.signal })))
    left.abort(reason)
    expect(await outcome).toBe(reason)
    budget.available = 1
    await turns.wait(OWNER, turn('SYNC'))
    expect(budget.available + budget.given_back).toBe(0)
  })
})

describe('the patience of who waits', () => {
  it.each([
    [59.2, 60],
    [60, 60],
    [0.4, 1],
  ])('of a turn that comes in %j seconds ends at once if it is too short', async (wait_seconds, said) => {
    const turns = createTurns(played(0, wait_seconds))
    const failure = await outcomeOf(turns.wait(OWNER, turn('PERSON', { patience_ms: 0 })))
    expect(failure).toBeInstanceOf(Late)
    expect(failure).toMatchObject({ wait_seconds: said })
  })

  it('is the own patience of each', async () => {
    const { budget, next } = byHand()
    const turns = createTurns(budget)
    const outcomes = [1000, 600_000].map((patience_ms) =>
      outcomeOf(turns.wait(OWNER, turn('SYNC', { patience_ms }))),
    )
    const [first] = outcomes
    ;(await next()).answer({ taken: 0, wait_seconds: 0.001 })
    ;(await next()).answer({ taken: 0, wait_seconds: 60 })
    expect(await first).toBeInstanceOf(Late)
    const last = await next()
    expect(last.wanted).toBe(1)
    last.answer({ taken: 1, wait_seconds: 0 })
    expect(await outcomes[1]).toBe('begun')
  })

  it('is not asked for when the turn comes at once', async () => {
    await createTurns(played(1)).wait(OWNER, turn('PERSON', { patience_ms: 0 }))
  })
})

describe('the budget of a tenant', () => {
  it('that cannot be asked keeps nobody waiting', async () => {
    const { budget, next } = byHand()
    const turns = createTurns(budget)
    const first = outcomeOf(turns.wait(OWNER, turn('SYNC')))
    const others = PACES.map((pace) => outcomeOf(turns.wait(OWNER, turn(pace))))
    for (let asked = 0; asked < 5; asked++) (await next()).fail(new Error('The budget did not answer'))
    expect(await Promise.all([first, ...others])).toEqual(Array(5).fill('begun'))
  })

  it.each([
    ['another tenant', { ...OWNER, tenant_id: 'ten_2' }],
    ['another system', { ...OWNER, system: 'HALO_PSA' }],
  ])('keeps no request of %s waiting', async (_name, other) => {
    const { budget, next } = byHand()
    const turns = createTurns(budget)
    const outcome = outcomeOf(turns.wait(OWNER, turn('PERSON')))
    const slow = await next()
    const quick = outcomeOf(turns.wait(other, turn('SYNC')))
    const ask = await next()
    expect(ask.owner).toEqual(other)
    ask.answer({ taken: 1, wait_seconds: 0 })
    expect(await quick).toBe('begun')
    slow.answer({ taken: 1, wait_seconds: 0 })
    expect(await outcome).toBe('begun')
  })
})
