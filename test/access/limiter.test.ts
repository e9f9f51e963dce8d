import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createLimiter, type Limiter } from '../../src/access/limits/limiter.ts'
import type { Rate } from '../../src/access/limits/rules.ts'
import type { Database } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { newId } from '../../src/lib/ids.ts'
import { testDatabase } from '../setup/database.ts'

let database: Database

beforeAll(async () => {
  database = await testDatabase()
})

/** Processes with a clock in common and a table of their own. */
function cluster() {
  const prefix = `${newId('test')}/`
  let time = new Date('2026-06-01T12:00:00Z').getTime()
  let lived = 0
  let statements = 0
  let down = false
  const sql: Sql = {
    rows: async (...args) => {
      statements++
      if (down) throw new Error('down')
      return database.sql.rows(...args)
    },
  }
  return {
    prefix,
    process: (): Limiter => createLimiter({ sql, prefix, now: () => new Date(time), elapsed: () => lived }),
    pass: (seconds: number) => {
      time += seconds * 1000
      lived += seconds * 1000
    },
    /** Sets the database's clock, and not what passes in the processes. */
    turnClock: (seconds: number) => {
      time += seconds * 1000
    },
    outage: (on: boolean) => {
      down = on
    },
    statements: () => statements,
    rows: () => database.prisma.rateBucket.findMany({ where: { key: { startsWith: prefix } } }),
  }
}

async function allowedOf(limiter: Limiter, rate: Rate, times: number, cost = 1): Promise<number> {
  let allowed = 0
  for (let i = 0; i < times; i++) if ((await limiter.take(rate, 'k', cost)).allowed) allowed++
  return allowed
}

const ten: Rate = { name: 'ten', quota: 10, window_seconds: 60 }
const many: Rate = { name: 'many', quota: 600, window_seconds: 60 }

describe('a limit', () => {
  test('allows its quota at once, then as much as is refilled', async () => {
    const { process, pass } = cluster()
    const limiter = process()
    expect(await allowedOf(limiter, ten, 15)).toBe(10)
    expect(await limiter.take(ten, 'k')).toMatchObject({
      allowed: false,
      exhausted: 'quota',
      remaining: 0,
      reset_seconds: 60,
      retry_after_seconds: 6,
    })
    pass(5.9)
    expect(await allowedOf(limiter, ten, 1)).toBe(0)
    pass(0.1)
    expect(await allowedOf(limiter, ten, 2)).toBe(1)
    pass(600)
    expect(await allowedOf(limiter, ten, 15)).toBe(10)
  })

  test('holds over all processes together', async () => {
    const { process } = cluster()
    const processes = [process(), process(), process()]
    // Each asks for more than the quota, so that no process ends with tokens that it leased and did not use.
    const allowed = await Promise.all(processes.map((limiter) => allowedOf(limiter, many, many.quota + 1)))
    expect(allowed.reduce((sum, one) => sum + one)).toBe(many.quota)
  })

  test('counts each key for itself', async () => {
    const limiter = cluster().process()
    expect(await allowedOf(limiter, ten, 11)).toBe(10)
    expect((await limiter.take(ten, 'other')).allowed).toBe(true)
  })

  test('takes what a request costs, and refuses what can never be there', async () => {
    const { process, statements } = cluster()
    const limiter = process()
    expect(await limiter.take(ten, 'k', 11)).toMatchObject({ allowed: false, retry_after_seconds: 60 })
    expect(statements()).toBe(0)
    expect(await allowedOf(limiter, ten, 3, 4)).toBe(2)
    expect(await limiter.take(ten, 'k', 4)).toMatchObject({ allowed: false, retry_after_seconds: 12 })
    expect((await limiter.take(ten, 'k', 2)).allowed).toBe(true)
  })

  test('with a burst allows no more than that at a time', async () => {
    const { process, pass } = cluster()
    const limiter = process()
    const rate: Rate = { ...many, burst: { quota: 60, window_seconds: 1 } }
    expect(await allowedOf(limiter, rate, 100)).toBe(60)
    expect(await limiter.take(rate, 'k')).toMatchObject({
      allowed: false,
      exhausted: 'burst',
      remaining: 540,
      burst_remaining: 0,
      burst_reset_seconds: 1,
      retry_after_seconds: 1,
    })
    pass(1)
    expect(await allowedOf(limiter, rate, 100)).toBe(60)
    expect(await limiter.take(rate, 'k', 61)).toMatchObject({ allowed: false })
  })

  test('rejects in an outage, and is whole afterwards', async () => {
    const { process, outage } = cluster()
    const limiter = process()
    outage(true)
    const takes = [1, 2, 3].map(async () => limiter.take(ten, 'k'))
    for (const take of takes) await expect(take).rejects.toThrow('down')
    outage(false)
    expect(await allowedOf(limiter, ten, 15)).toBe(10)
  })
})

describe('a clock that is set back', () => {
  test('by an hour keeps nobody out for longer than the refill takes', async () => {
    const { process, pass, turnClock } = cluster()
    const [one, other] = [process(), process()]
    expect(await allowedOf(one, ten, 11)).toBe(10)
    turnClock(-3600)
    expect(await other.take(ten, 'k')).toMatchObject({ allowed: false, retry_after_seconds: 6 })
    pass(6)
    expect(await allowedOf(other, ten, 2)).toBe(1)
    pass(6)
    expect(await allowedOf(one, ten, 2)).toBe(1)
  })

  test('gives nobody more than the quota and its refill', async () => {
    const { process, turnClock } = cluster()
    const limiters = [process(), process()] as const
    let allowed = 0
    for (let turn = 0; turn < 6; turn++) {
      allowed += await allowedOf(limiters[turn % 2 ? 1 : 0], ten, 5)
      turnClock(turn % 2 ? -300 : 0)
    }
    expect(allowed).toBe(10)
  })
})

describe('what is given back', () => {
  test('can be taken again, without a statement', async () => {
    const { process, statements } = cluster()
    const limiter = process()
    expect(await allowedOf(limiter, ten, 11)).toBe(10)
    const before = statements()
    limiter.refund(ten, 'k')
    expect(await allowedOf(limiter, ten, 2)).toBe(1)
    expect(statements()).toBe(before)
  })
})

describe('a lease', () => {
  test('covers everyone who waits for the one before it', async () => {
    const { process, statements } = cluster()
    const limiter = process()
    const decisions = await Promise.all(Array.from({ length: 40 }, () => limiter.take(many, 'k')))
    expect(decisions.every(({ allowed }) => allowed)).toBe(true)
    expect(statements()).toBe(2)
  })

  test('makes most requests cost no statement, and answers them at once', async () => {
    const { process, statements } = cluster()
    const limiter = process()
    let atOnce = 0
    for (let i = 0; i < 600; i++) {
      const decision = limiter.take(many, 'k')
      if (!(decision instanceof Promise)) atOnce++
      expect((await decision).allowed).toBe(true)
    }
    expect(statements()).toBeLessThan(30)
    expect(atOnce).toBe(600 - statements())
  })

  test('that was refused is not asked for again before it can succeed', async () => {
    const { process, statements, pass } = cluster()
    const limiter = process()
    await allowedOf(limiter, ten, 10)
    const before = statements()
    expect(await allowedOf(limiter, ten, 100)).toBe(0)
    pass(5)
    expect(await allowedOf(limiter, ten, 100)).toBe(0)
    expect(statements()).toBe(before)
  })

  test('is one for all who wait for it', async () => {
    const { process, statements } = cluster()
    const limiter = process()
    const decisions = await Promise.all(Array.from({ length: 100 }, async () => limiter.take(many, 'k')))
    expect(decisions.every(({ allowed }) => allowed)).toBe(true)
    expect(statements()).toBeLessThan(10)
  })

  test('tells how much is left', async () => {
    const limiter = cluster().process()
    for (let left = 9; left >= 0; left--) expect((await limiter.take(ten, 'k')).remaining).toBe(left)
  })

  test('goes back when the process stops', async () => {
    const { process, rows } = cluster()
    const [stopping, staying] = [process(), process()]
    await allowedOf(stopping, many, 100)
    await stopping.release()
    expect(await rows()).toMatchObject([{ tokens: 500, burst_tokens: 500 }])
    expect(await allowedOf(staying, many, 600)).toBe(500)
  })

  test('goes back when it expires, once', async () => {
    const { process, pass, rows } = cluster()
    const slow: Rate = { name: 'slow', quota: 600, window_seconds: 6_000_000 }
    const limiter = process()
    await allowedOf(limiter, slow, 100)
    pass(9)
    await limiter.sweep()
    expect((await rows())[0]?.tokens).toBeLessThan(500)
    pass(1)
    await Promise.all([limiter.sweep(), limiter.sweep()])
    await limiter.sweep()
    await limiter.release()
    expect((await rows())[0]?.tokens).toBeCloseTo(500, 1)
    expect(await allowedOf(limiter, slow, 600)).toBe(500)
  })
})

describe('a bucket', () => {
  test('that is full again is forgotten', async () => {
    const { process, pass, rows } = cluster()
    const limiter = process()
    await allowedOf(limiter, ten, 10)
    pass(50)
    await limiter.take({ ...ten, name: 'later' }, 'k')
    await limiter.sweep()
    expect(await rows()).toHaveLength(2)
    pass(15)
    await limiter.sweep()
    expect((await rows()).map(({ key }) => key.split('/')[1])).toEqual(['later:k'])
    expect(await allowedOf(limiter, ten, 15)).toBe(10)
  })

  test('of another limiter is left alone', async () => {
    const one = cluster()
    const other = cluster()
    await one.process().take(ten, 'k')
    other.pass(1000)
    const limiter = other.process()
    await limiter.take(ten, 'k')
    other.pass(1000)
    await limiter.sweep()
    expect(await one.rows()).toHaveLength(1)
    expect(await other.rows()).toHaveLength(0)
  })
})

type Step =
  | { does: 'take'; process: number; cost: number }
  | { does: 'pass'; seconds: number }
  | { does: 'sweep' | 'release'; process: number }

const process = fc.nat(2)
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constant('take' as const),
        process,
        cost: fc.integer({ min: 1, max: 12 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant('pass' as const), seconds: fc.integer({ min: 0, max: 15 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constantFrom('sweep' as const, 'release' as const), process }),
    },
  ),
  { minLength: 20, maxLength: 60 },
)

test('whatever happens in whatever process, no more is granted than the quota and its refill', async () => {
  const rate: Rate = { name: 'any', quota: 40, window_seconds: 80, burst: { quota: 20, window_seconds: 10 } }
  await fc.assert(
    fc.asyncProperty(steps, async (all: Step[]) => {
      const { process, pass, rows } = cluster()
      const limiters = [process(), process(), process()] as const
      let granted = 0
      let elapsed = 0
      for (const step of all) {
        if (step.does === 'pass') {
          pass(step.seconds)
          elapsed += step.seconds
          continue
        }
        const limiter = limiters[step.process as 0 | 1 | 2]
        if (step.does !== 'take') await limiter[step.does]()
        else if ((await limiter.take(rate, 'k', step.cost)).allowed) granted += step.cost
        expect(granted).toBeLessThanOrEqual(40 + elapsed * 0.5 + 1e-6)
      }
      for (const limiter of limiters) await limiter.release()
      const [row] = await rows()
      if (row) expect(row.tokens + granted).toBeLessThanOrEqual(40 + elapsed * 0.5 + 1e-6)
    }),
    { numRuns: 25 },
  )
})
