/** Statements that wait for a connection, on PostgreSQL. */
import { expect, onTestFinished, test } from 'vitest'
import { isOutage } from '../src/db/outage.ts'
import { openPostgresql } from '../src/db/postgresql.ts'
import { statement } from '../src/db/sql.ts'
import { cloneUrl } from './setup/database.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)

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
