import pg from 'pg'
import { describe, expect, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { isOutage } from '../../src/db/errors.ts'
import { statement } from '../../src/db/sql.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { onPostgresql } from './rows.ts'

describe('connections', () => {
  onPostgresql('come back by themselves when the server has ended them', async () => {
    const url = (await cloneUrl()) as string
    const database = await openTestDatabase(url)
    onTestFinished(() => database.close())
    const name = new URL(url).pathname.slice(1)
    await Promise.all(Array.from({ length: 5 }, () => database.prisma.tenant.count()))
    await endConnections(name)
    const answers = await Promise.allSettled([...Array(10)].map(() => database.prisma.tenant.count()))
    for (const answer of answers) if (answer.status === 'rejected') expect(isOutage(answer.reason)).toBe(true)
    await database.ping()
    await expect(database.prisma.tenant.count()).resolves.toBe(0)
  })

  onPostgresql('that die in the middle of work fail as an outage', async () => {
    const url = (await cloneUrl()) as string
    const database = await openTestDatabase(url)
    onTestFinished(() => database.close())
    const asleep = database.sql.rows(statement('test.sleep', 'select pg_sleep(10)'), [])
    const transaction = database.prisma.$transaction((tx) => tx.$queryRawUnsafe(`select pg_sleep(10)::text`))
    const errors = Promise.all(
      [asleep, transaction].map((work) => work.then(null, (error: unknown) => error)),
    )
    const name = new URL(url).pathname.slice(1)
    await expect.poll(() => sleepersIn(name), { timeout: 9000 }).toBe(2)
    await endConnections(name)
    for (const error of await errors) expect(isOutage(error)).toBe(true)
    await database.ping()
  })

  onPostgresql('survive a statement that the database refuses', async () => {
    const database_url = (await cloneUrl()) as string
    const options = { data_dir: 'memory', pool_size: 1, timeout_ms: 15_000 }
    const { sql, close } = await openDatabase({ database_url, ...options })
    onTestFinished(close)
    const pids = () => sql.rows<{ pid: number }>(statement('test.pid', 'select pg_backend_pid() as pid'), [])
    const before = await pids()
    await expect(sql.rows(statement('test.division', 'select 1 / 0'), [])).rejects.toThrow('zero')
    expect(await pids()).toEqual(before)
  })

  const onServer = async (text: string, name: string) => {
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL as string })
    await client.connect()
    const { rowCount } = await client.query(text, [name])
    await client.end()
    return rowCount
  }

  const sleepersIn = (name: string) =>
    onServer("select 1 from pg_stat_activity where datname = $1 and wait_event = 'PgSleep'", name)

  /** Ends them, and waits until they are gone. */
  const endConnections = (name: string) =>
    onServer('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', name)
})
