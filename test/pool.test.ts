/** Statements that wait: for a connection of PostgreSQL, for their turn on the embedded database. */
import { expect, onTestFinished, test } from 'vitest'
import { openEmbedded } from '../src/db/embedded.ts'
import { isOutage } from '../src/db/errors.ts'
import { openPostgresql } from '../src/db/postgresql.ts'
import { statement } from '../src/db/sql.ts'
import { cloneUrl, testDatabase } from './setup/database.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)

const onEmbedded = test.runIf(!process.env.DATABASE_URL)

const WORK = statement('test.work', 'select count(*)::int as many from generate_series(1, 50000)')
const SLEEP = statement('test.sleep', 'select pg_sleep($1)')
const ONE = statement('test.one', 'select 1 as one')

async function opened(timeout_ms: number) {
  const database_url = await cloneUrl()
  if (database_url === null) throw new Error('The database is embedded')
  const driver = openPostgresql({ database_url, pool_size: 2, timeout_ms, application_name: 'pool test' })
  onTestFinished(() => driver.close())
  await driver.sql.rows(ONE, [])
  return driver.sql
}

onPostgresql('thousands wait their turn, and more are refused at once', async () => {
  const sql = await opened(10_000)
  const held = [sql.rows(SLEEP, [2]), sql.rows(SLEEP, [2])]
  await new Promise((done) => setTimeout(done, 200))
  const waiting = Array.from({ length: 2000 }, () => sql.rows(ONE, []))
  const started = performance.now()
  const refused = await Promise.allSettled(Array.from({ length: 500 }, () => sql.rows(ONE, [])))
  expect(performance.now() - started).toBeLessThan(900)
  const reasons = refused.map((one) => one.status === 'rejected' && isOutage(one.reason))
  expect(reasons).toEqual(refused.map(() => true))
  await Promise.all(held)
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => [{ one: 1 }]))
  expect(await sql.rows(ONE, [])).toEqual([{ one: 1 }])
})

onPostgresql('nobody waits longer than twice what a statement may take', async () => {
  const sql = await opened(1000)
  const held = Promise.allSettled(Array.from({ length: 6 }, () => sql.rows(SLEEP, [0.8])))
  const started = performance.now()
  const late = await sql.rows(ONE, []).catch((error: unknown) => error)
  expect(performance.now() - started).toBeLessThan(2600)
  expect(isOutage(late)).toBe(true)
  await held
})

onEmbedded(
  'on the embedded database nobody waits longer than half of what a statement may take',
  async () => {
    const timeout_ms = 1000
    const { sql, close } = await openEmbedded('memory', { timeout_ms })
    onTestFinished(close)
    for (let count = 0; count < 20; count++) await sql.rows(WORK, [])
    const started = performance.now()
    const outcomes = await Promise.allSettled(Array.from({ length: 1000 }, () => sql.rows(WORK, [])))
    expect(performance.now() - started).toBeLessThan(timeout_ms)
    const answers = outcomes.map((one) => (one.status === 'fulfilled' ? 'answered' : isOutage(one.reason)))
    expect(new Set(answers)).toEqual(new Set(['answered', true]))
    expect(await sql.rows(ONE, [])).toEqual([{ one: 1 }])
  },
)

onEmbedded(
  'on the embedded database a transaction is one turn, and Prisma’s statements wait for theirs',
  async () => {
    const { prisma } = await testDatabase()
    const counted = await prisma.$transaction(async (tx) => {
      const outside = prisma.rateBucket.count()
      const inside = await tx.rateBucket.count()
      return { inside, outside }
    })
    expect(await counted.outside).toBe(counted.inside)
  },
)
