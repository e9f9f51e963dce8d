/** Transactions on a connection that the service holds, with statements of its own and Prisma's client on it. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../src/db/database.ts'
import { type DatabaseContext, db, scoped, sql, sqlAndCommit } from '../src/db/db.ts'
import { isOutage } from '../src/db/errors.ts'
import { statement } from '../src/db/sql.ts'
import { inTransaction } from '../src/db/transaction.ts'
import { Stopwatch } from '../src/lib/stopwatch.ts'
import { cloneUrl, openTestDatabase } from './setup/database.ts'
import { json, request } from './setup/http.ts'
import { countStatements } from './setup/statements.ts'
import { type Msp, world } from './setup/world.ts'

const SECONDS = 10_000
const MANY = 50

const onPostgresql = it.runIf(process.env.DATABASE_URL)

function contextOf(msp: Pick<Msp, 'tenant_id' | 'environment'>, database: Database): DatabaseContext {
  const { tenant_id, environment } = msp
  return {
    viewer: { tenant_id, environment },
    services: { database },
    transaction: null,
    db_time: new Stopwatch(),
  }
}

const own = (msp: Msp) => contextOf(msp, msp.database)

const READ = scoped(
  'test.transaction_read',
  'select human_friendly_client_name as name, revision from settings where tenant_id = $1 and environment = $2',
)

const RENAME = scoped(
  'test.transaction_rename',
  'update settings set human_friendly_client_name = $3 where tenant_id = $1 and environment = $2',
)

const nameOf = async (ctx: DatabaseContext) => (await sql<{ name: string }>(ctx, READ))[0]?.name

const rename = (human_friendly_client_name: string) => ({ data: { human_friendly_client_name } })

describe('a transaction', () => {
  it('is one for statements and for Prisma, and for nobody else until it ends', async () => {
    const msp = await world()
    const ctx = own(msp)
    await inTransaction(ctx, SECONDS, async () => {
      await sql(ctx, RENAME, ['By SQL'])
      expect((await db(ctx).settings.findFirst())?.human_friendly_client_name).toBe('By SQL')
      await db(ctx).settings.updateMany(rename('By Prisma'))
      expect(await nameOf(ctx)).toBe('By Prisma')
      if (process.env.DATABASE_URL) expect(await nameOf(own(msp))).toBe('Test MSP')
    })
    expect([ctx.transaction, await nameOf(ctx)]).toEqual([null, 'By Prisma'])
  })

  it('is rolled back if the work is rejected, Prisma’s part too', async () => {
    const msp = await world()
    const ctx = own(msp)
    const failing = inTransaction(ctx, SECONDS, async () => {
      await sql(ctx, RENAME, ['By SQL'])
      await db(ctx).settings.updateMany({ data: { timezone: 'UTC' } })
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    const stored = await db(ctx).settings.findFirst()
    expect([stored?.human_friendly_client_name, stored?.timezone]).toEqual(['Test MSP', null])
  })

  it('is not committed if an error of a statement was swallowed', async () => {
    const msp = await world()
    const ctx = own(msp)
    const broken = scoped(
      'test.broken',
      'select 1 / 0 from settings where tenant_id = $1 and environment = $2',
    )
    const swallowing = inTransaction(ctx, SECONDS, async () => {
      await sql(ctx, RENAME, ['Lost'])
      await sql(ctx, broken).catch(() => {})
    })
    await expect(swallowing).rejects.toThrow()
    expect(await nameOf(ctx)).toBe('Test MSP')
  })

  it('inside another is a savepoint', async () => {
    const msp = await world()
    const ctx = own(msp)
    await inTransaction(ctx, SECONDS, async () => {
      await inTransaction(ctx, SECONDS, () => sql(ctx, RENAME, ['Kept']))
      const nested = inTransaction(ctx, SECONDS, async () => {
        await db(ctx).settings.updateMany(rename('Undone'))
        await db(ctx).tenantUser.create({ data: await db(ctx).tenantUser.findFirstOrThrow() })
      })
      await expect(nested).rejects.toThrow()
      expect(await nameOf(ctx)).toBe('Kept')
    })
    expect(await nameOf(ctx)).toBe('Kept')
  })

  it('inside a savepoint is undone with it, also after another one was undone', async () => {
    const msp = await world()
    const ctx = own(msp)
    const undone = (work: () => Promise<unknown>) =>
      inTransaction(ctx, SECONDS, async () => {
        await work()
        throw new Error('Undone')
      })
    await inTransaction(ctx, SECONDS, async () => {
      await sql(ctx, RENAME, ['Kept'])
      const outer = undone(async () => {
        await sql(ctx, RENAME, ['Outer'])
        await expect(undone(() => sql(ctx, RENAME, ['Inner']))).rejects.toThrow('Undone')
        expect(await nameOf(ctx)).toBe('Outer')
      })
      await expect(outer).rejects.toThrow('Undone')
    })
    expect(await nameOf(ctx)).toBe('Kept')
  })

  onPostgresql('costs nothing if the work sends no statement', async () => {
    const msp = await world()
    const ctx = own(msp)
    const count = await countStatements(msp.database, () => inTransaction(ctx, SECONDS, async () => {}))
    expect(count).toBe(0)
  })

  it('whose last statement fails is rolled back, though COMMIT travels with it', async () => {
    const msp = await world()
    const ctx = own(msp)
    const broken = scoped(
      'test.broken',
      'select 1 / 0 from settings where tenant_id = $1 and environment = $2',
    )
    const failing = inTransaction(
      ctx,
      SECONDS,
      async () => {
        await sql(ctx, RENAME, ['Lost'])
        await sqlAndCommit(ctx, broken, [])
      },
      { write_is_last: true },
    )
    await expect(failing).rejects.toThrow('zero')
    expect(await nameOf(ctx)).toBe('Test MSP')
  })

  onPostgresql('that was committed with its last statement takes no other one', async () => {
    const msp = await world()
    const ctx = own(msp)
    const late = inTransaction(
      ctx,
      SECONDS,
      async () => {
        await sqlAndCommit(ctx, RENAME, ['Kept'])
        await sql(ctx, RENAME, ['Late'])
      },
      { write_is_last: true },
    )
    await expect(late).rejects.toThrow('ended')
    expect(await nameOf(ctx)).toBe('Kept')
  })

  it('that takes too long is rolled back, and what goes on in it fails', async () => {
    const msp = await world()
    const ctx = own(msp)
    const goOn = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    const slow = inTransaction(ctx, 300, async () => {
      // On a slow machine the time may be over before this one is sent.
      await sql(ctx, RENAME, ['Late']).catch(() => {})
      await goOn.promise
      await sql(ctx, RENAME, ['Later']).then(() => late.resolve(), late.reject)
    })
    const error = await slow.catch((thrown: unknown) => thrown)
    expect(isOutage(error)).toBe(true)
    goOn.resolve()
    await expect(late.promise).rejects.toThrow('ended')
    expect(await nameOf(own(msp))).toBe('Test MSP')
  })
})

describe.runIf(process.env.DATABASE_URL)('connections', () => {
  const PID = statement('test.transaction_pid', 'select pg_backend_pid() as pid')

  const pidIn = async ({ transaction }: DatabaseContext) =>
    (await transaction?.rows<{ pid: number }>(PID, []))?.[0]?.pid

  it(`are never shared by ${MANY} transactions and ${MANY} reads of the same model in one turn`, async () => {
    const msps = await Promise.all(Array.from({ length: 5 }, () => world()))
    const work = async (index: number) => {
      const msp = msps[index % msps.length] as Msp
      const ctx = own(msp)
      const { tenant_id, environment } = msp
      const where = { tenant_id_environment: { tenant_id, environment } }
      const outside = own(msp)
      const reading = db(outside).settings.findUnique({ where })
      const changing = inTransaction(ctx, SECONDS, async () => {
        const pid = await pidIn(ctx)
        const name = `Name ${index}`
        await db(ctx).settings.updateMany(rename(name))
        const [read, again] = await Promise.all([
          db(ctx).settings.findUnique({ where }),
          db(ctx).settings.findUnique({ where }),
        ])
        expect([read?.human_friendly_client_name, again?.human_friendly_client_name]).toEqual([name, name])
        expect(await pidIn(ctx)).toBe(pid)
        throw new Error('undone')
      })
      await expect(changing).rejects.toThrow('undone')
      expect((await reading)?.human_friendly_client_name).toBe('Test MSP')
    }
    await Promise.all(Array.from({ length: MANY }, (_, index) => work(index)))
  })

  it('that break end their transaction alone, and the pool goes on', async () => {
    const msp = await world()
    const end = statement('test.end', 'select pg_terminate_backend($1::int)')
    const work = async (index: number) => {
      const ctx = own(msp)
      return await inTransaction(ctx, SECONDS, async () => {
        await db(ctx).settings.count()
        const pid = await pidIn(ctx)
        if (index === 0) await msp.database.sql.rows(end, [pid])
        return await pidIn(ctx)
      })
    }
    const outcomes = await Promise.allSettled([0, 1, 2].map(work))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    const [first] = outcomes
    expect(first?.status === 'rejected' && isOutage(first.reason)).toBe(true)
    await Promise.all(Array.from({ length: 10 }, (_, index) => work(index + 1)))
  })

  it('of a transaction that took too long come back without it', async () => {
    const database = await openTestDatabase((await cloneUrl()) as string)
    onTestFinished(() => database.close())
    const ctx = () => contextOf({ tenant_id: 'ten', environment: 'test' }, database)
    const lock = statement('test.lock', 'select pg_advisory_xact_lock(1), pg_backend_pid() as pid')
    await Promise.allSettled(
      Array.from({ length: 5 }, () => {
        const one = ctx()
        return inTransaction(one, 200, async () => {
          await one.transaction?.rows(lock, [])
          await new Promise(() => {})
        })
      }),
    )
    const again = ctx()
    await inTransaction(again, SECONDS, async () => {
      await again.transaction?.rows(lock, [])
    })
  })
})

describe.runIf(process.env.DATABASE_URL)('the statements of a mutation', () => {
  const BEGIN_AND_COMMIT = 2

  /** The statements of the second of two calls, without those that judge the credential. */
  async function counted(msp: Msp, call: (turn: number) => Promise<Response>): Promise<number> {
    const looked = 1
    expect((await call(0)).status).toBe(200)
    const count = await countStatements(msp.database, async () => expect((await call(1)).status).toBe(200))
    return count - looked - BEGIN_AND_COMMIT
  }

  const put = (msp: Msp, hour: number, headers: Record<string, string> = {}) =>
    request('/public-api/settings', json({ end_business_hours: hour }, { method: 'PUT', headers }), msp.admin)

  it('that changes settings are two: the lock, and the write with its activity', async () => {
    const msp = await world()
    expect(await counted(msp, (turn) => put(msp, 20 + turn))).toBe(2)
  })

  it('with an Idempotency-Key are two more', async () => {
    const msp = await world()
    const key = (turn: number) => ({ 'idempotency-key': `k${turn}` })
    expect(await counted(msp, (turn) => put(msp, 20 + turn, key(turn)))).toBe(4)
  })

  it('that rotates a key are three: the lock, the replacement, and the write with its activity', async () => {
    const msp = await world()
    const keys = [await msp.newKey(), await msp.newKey()]
    const rotate = (turn: number) =>
      request(`/public-api/api-keys/${keys[turn]?.id}/rotate`, { method: 'POST' }, msp.admin)
    expect(await counted(msp, rotate)).toBe(3)
  })
})
