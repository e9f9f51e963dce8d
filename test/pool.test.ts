/** Statements that wait: for a connection of PostgreSQL, for their turn on the embedded database. */
import { expect, onTestFinished, test } from 'vitest'
import type { Driver } from '../src/db/driver.ts'
import { openEmbedded } from '../src/db/embedded/database.ts'
import { isOutage } from '../src/db/errors.ts'
import { openPostgresql } from '../src/db/postgresql/database.ts'
import { statement } from '../src/db/sql.ts'
import { forTenant } from '../src/db/tenancy/tenant-work.ts'
import { newId } from '../src/lib/ids.ts'
import { cloneUrl, testDatabase } from './setup/database.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)

const onEmbedded = test.runIf(!process.env.DATABASE_URL)

const WORK = statement('test.work', 'select count(*)::int as many from generate_series(1, 50000)')
const SLEEP = statement('test.sleep', 'select pg_sleep($1)')
const ONE = statement('test.one', 'select 1 as one')

async function opened(timeout_ms: number, pool_size = 2) {
  const database_url = await cloneUrl()
  if (database_url === null) throw new Error('The database is embedded')
  const driver = openPostgresql({ database_url, pool_size, timeout_ms, application_name: 'pool test' })
  onTestFinished(() => driver.close())
  return driver
}

onPostgresql('thousands wait their turn, and more are refused at once', async () => {
  const timeout_ms = 10_000
  const { sql, transaction } = await opened(timeout_ms)
  const [over, ...begun] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const held = begun.map(({ resolve }) =>
    transaction(60_000, async ({ rows }) => {
      await rows(ONE, [])
      resolve()
      await over?.promise
    }),
  )
  await Promise.all(begun.map(({ promise }) => promise))
  const waiting = Array.from({ length: 2000 }, () => sql.rows(ONE, []))
  const started = performance.now()
  const refused = await Promise.allSettled(Array.from({ length: 500 }, () => sql.rows(ONE, [])))
  // Those who wait are refused after twice that time.
  expect(performance.now() - started).toBeLessThan(timeout_ms)
  const reasons = refused.map((one) => one.status === 'rejected' && isOutage(one.reason))
  expect(reasons).toEqual(refused.map(() => true))
  over?.resolve()
  await Promise.all(held)
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => [{ one: 1 }]))
  expect(await sql.rows(ONE, [])).toEqual([{ one: 1 }])
})

/** Transactions of the tenant, each of which holds a connection until it is let go. */
function held(transaction: Driver['transaction'], tenant: string, count: number) {
  const begun: (() => void)[] = []
  const ends = Array.from({ length: count }, () =>
    forTenant(tenant, () =>
      transaction(60_000, async ({ rows }) => {
        await rows(ONE, [])
        await new Promise<void>((resolve) => {
          begun.push(resolve)
        })
      }),
    ),
  )
  return {
    began: () => begun.length,
    letGo: () => begun.shift()?.(),
    async end(): Promise<void> {
      let left = count
      for (const one of ends) one.finally(() => left--)
      while (left > 0) {
        begun.shift()?.()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  }
}

onPostgresql('a tenant that has every connection gives way until another one has half of them', async () => {
  const { transaction, load } = await opened(10_000, 4)
  const flooding = held(transaction, 'flooding', 8)
  await expect.poll(flooding.began).toBe(4)
  const other = held(transaction, 'other', 4)
  for (const [left, taken] of [
    [3, 1],
    [2, 2],
  ]) {
    flooding.letGo()
    await expect.poll(other.began).toBe(taken)
    expect(flooding.began()).toBe(left)
  }
  expect(load().waiting).toBe(6)
  flooding.letGo()
  // Its share is one or two of four: it has held them for long, or not.
  await expect.poll(flooding.began).toBeLessThanOrEqual(2)
  expect(other.began()).toBe(2)
  await Promise.all([flooding.end(), other.end()])
})

onPostgresql('transactions that want a connection beside their own never wait for each other', async () => {
  const { sql, transaction } = await opened(10_000)
  const begun = Array.from({ length: 2 }, () => Promise.withResolvers<void>())
  const both = Promise.all(begun.map(({ promise }) => promise))
  const found = begun.map(({ resolve }) =>
    forTenant('a', () =>
      transaction(60_000, async ({ rows }) => {
        await rows(ONE, [])
        resolve()
        await both
        return await sql.rows(ONE, [])
      }),
    ),
  )
  await both
  const others = Array.from({ length: 10 }, () => forTenant('b', () => sql.rows(ONE, [])))
  expect(await Promise.all(found)).toEqual([[{ one: 1 }], [{ one: 1 }]])
  await Promise.all(others)
})

onPostgresql('nobody waits longer than twice what a statement may take', async () => {
  const { sql } = await opened(1000)
  // With two connections it would be twelve seconds until the last has its turn.
  const held = Promise.allSettled(Array.from({ length: 30 }, () => sql.rows(SLEEP, [0.8])))
  const started = performance.now()
  const late = await sql.rows(ONE, []).catch((error: unknown) => error)
  expect(performance.now() - started).toBeLessThan(9000)
  expect(isOutage(late)).toBe(true)
  await held
})

onEmbedded('on the embedded database those who would wait for long are refused', async () => {
  const { sql, close } = await openEmbedded('memory', { timeout_ms: 1000 })
  onTestFinished(close)
  for (let count = 0; count < 20; count++) await sql.rows(WORK, [])
  const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, () => sql.rows(WORK, [])))
  const answers = outcomes.map((one) => (one.status === 'fulfilled' ? 'answered' : isOutage(one.reason)))
  expect(new Set(answers)).toEqual(new Set(['answered', true]))
  expect(await sql.rows(ONE, [])).toEqual([{ one: 1 }])
})

onEmbedded(
  'on the embedded database a transaction is one turn, and Prisma’s statements wait for theirs',
  async () => {
    const { prisma } = await testDatabase()
    const data = { id: newId('ten'), name: 'A', data_residency: 'EU', referral_code: 'TESTCODE' }
    const where = { id: data.id }
    const read = await prisma.$transaction(async (tx) => {
      // Prisma sends a statement once it is awaited.
      const outside = prisma.tenant.count({ where }).then((count) => count)
      const before = await tx.tenant.count({ where })
      await tx.tenant.create({ data: { ...data, created_at: new Date() } })
      return { before, outside }
    })
    expect([read.before, await read.outside]).toEqual([0, 1])
  },
)

onEmbedded('nobody joins a transaction whose rollback failed, as on a full disk', async () => {
  const { sql, transaction, pglite, close } = await openEmbedded('memory')
  onTestFinished(close)
  const full = new Error('could not extend file: No space left on device')
  const send = pglite.execProtocolStream.bind(pglite)
  let refused = 0
  pglite.execProtocolStream = async (message, options) => {
    if (refused < 2 && Buffer.from(message).toString('latin1').toLowerCase().includes('rollback')) {
      refused++
      throw full
    }
    return await send(message, options)
  }
  await sql.rows(statement('test.full', 'create table written (id int)'), [])
  const failed = transaction(1000, async ({ rows }) => {
    await rows(statement('test.write', 'insert into written values (1)'), [])
    throw new Error('refused')
  })
  await expect(failed).rejects.toThrow(full)
  // As long as it cannot be rolled back, nothing else is done.
  await expect(sql.rows(ONE, [])).rejects.toThrow(full)
  expect(await sql.rows(ONE, [])).toEqual([{ one: 1 }])
  expect(await sql.rows(statement('test.written', 'select * from written'), [])).toEqual([])
  expect(pglite.isInTransaction()).toBe(false)
})
