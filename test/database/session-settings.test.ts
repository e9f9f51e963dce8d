/** Connections on a database, and for a role, that are set to read and write values otherwise. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import { type Database, databaseOn } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { statement } from '../../src/db/sql.ts'
import { createBoss } from '../../src/jobs/boss.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { emptyUrl, openTestDatabase } from '../setup/database.ts'
import { setOddly, USUAL } from '../setup/odd-settings.ts'
import { AT } from './rows.ts'

/** Each is migrated, beside other tests. */
const SLOW_MS = 240_000

const SETTINGS = 'select name, setting from pg_settings where name = any($1)'
const NAMES = Object.keys(USUAL)

type Setting = { name: string; setting: string }

const expectUsual = (rows: Setting[]) =>
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual(USUAL)

const VALUES = statement(
  'test.session_values',
  `select $1::timestamptz as at, array[$1::timestamptz] as times, $2::date as day, $3::bytea as bytes,
     $4::text[] as words, 0.1::float8 + 0.2::float8 as sum, 'a\\b' as backslash, 'ü€' as letters,
     interval '1 day 2 hours'::text as duration, 'pg_catalog'::regnamespace::text as namespace`,
)

/** Writes by Prisma, and reads by Prisma and by a statement of our own. */
async function expectValues({ sql, prisma }: Database) {
  const bytes = Buffer.from([0, 255, 92])
  const words = ['a\\b', null, '€']
  expect(await sql.rows(VALUES, [AT, '2026-01-31', bytes, words])).toEqual([
    {
      at: AT,
      times: [AT],
      day: new Date('2026-01-31'),
      bytes: new Uint8Array(bytes),
      words,
      sum: 0.1 + 0.2,
      backslash: 'a\\b',
      letters: 'ü€',
      duration: '1 day 02:00:00',
      namespace: 'pg_catalog',
    },
  ])
  const id = randomUUID()
  const tenant = { id, name: 'ü\\€', data_residency: 'EU', referral_code: id, created_at: AT }
  await prisma.tenant.create({ data: tenant })
  expect(await prisma.tenant.findUnique({ where: { id } })).toMatchObject(tenant)
  const stored = statement('test.session_tenant', 'select name, created_at from tenant where id = $1')
  expect(await sql.rows(stored, [id])).toEqual([{ name: tenant.name, created_at: AT }])
}

/** The address of an empty database for a role of its own, one of which is set oddly. */
async function oddUrl(set: 'database' | 'role' | 'role in database'): Promise<string> {
  const url = new URL((await emptyUrl()) as string)
  const name = url.pathname.slice(1)
  const role = `role_${randomUUID().slice(0, 8)}`
  const server = new pg.Client({ connectionString: process.env.DATABASE_URL as string })
  await server.connect()
  await server.query(`create role "${role}" superuser login`)
  const what = { database: `database "${name}"`, role: `role "${role}"` }
  const named = set === 'role in database' ? `${what.role} in ${what.database}` : what[set]
  for (const text of setOddly(named)) await server.query(text)
  onTestFinished(async () => {
    await server.query(`drop database "${name}" with (force)`)
    await server.query(`drop role "${role}"`)
    await server.end()
  })
  url.username = role
  return url.href
}

/** The clients of `pg` that connect from now on. */
function connected(): pg.Client[] {
  const clients: pg.Client[] = []
  const { connect } = pg.Client.prototype
  const spy = vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (
    this: pg.Client,
    ...args: Parameters<typeof connect>
  ) {
    clients.push(this)
    return connect.apply(this, args)
  })
  onTestFinished(() => spy.mockRestore())
  return clients
}

const expectUsualOn = async (clients: pg.Client[]) => {
  for (const client of clients) expectUsual((await client.query(SETTINGS, [NAMES])).rows)
}

describe.runIf(process.env.DATABASE_URL).each(['database', 'role', 'role in database'] as const)(
  'a %s that is set oddly',
  (set) => {
    test(
      'is migrated, written and read by every kind of connection as any other',
      async () => {
        const database = await opened(await oddUrl(set))
        const clients = connected()

        await database.migrating(async ({ sql }) => {
          expectUsual(await sql.rows<Setting>(statement('test.settings', SETTINGS), [NAMES]))
          expect(clients).toHaveLength(2)
          await expectUsualOn(clients)
        })
        await applyMigrations(database)

        clients.length = 0
        const boss = await createBoss({ database, migrate: true, works: false })
        await boss.start()
        expect(clients).toHaveLength(1)
        await expectUsualOn(clients)
        await boss.stop({ graceful: false })
        await installJobs(database, 'test', JOBS)
        // Of the service's own connections.
        const jobs = await createBoss({ database, migrate: false, works: false })
        await jobs.start()
        expect(await jobs.getQueues()).not.toEqual([])
        await jobs.stop({ graceful: false })

        clients.length = 0
        await expectListening(database)
        const [listener] = clients as [pg.Client]
        await expectUsualOn([listener])

        await expectValues(database)
        await Promise.all(Array.from({ length: 5 }, () => database.ping()))
        expectUsual(await database.sql.rows<Setting>(statement('test.settings', SETTINGS), [NAMES]))
        const transaction = statement(
          'test.transaction',
          `select current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as reads`,
        )
        expect(await database.transaction(5000, ({ rows }) => rows(transaction, []))).toEqual([
          { isolation: 'read committed', reads: 'off' },
        ])
      },
      SLOW_MS,
    )
  },
)

test(
  'an embedded database that is set oddly is migrated, written and read as any other',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'settings-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const driver = await openEmbedded(folder)
    // PostgreSQL without a server ignores the settings of databases and roles.
    for (const text of setOddly('system')) await driver.pglite.exec(text)
    await driver.close()

    const again = await openEmbedded(folder)
    const database = databaseOn(again, 60_000)
    onTestFinished(() => database.close())
    await applyMigrations(database)
    await installJobs(database, 'test', JOBS)
    expectUsual(await database.sql.rows<Setting>(statement('test.settings', SETTINGS), [NAMES]))
    await expectListening(database)
    await expectValues(database)
  },
  SLOW_MS,
)

async function opened(database_url: string): Promise<Database> {
  const database = openTestDatabase(database_url)
  onTestFinished(async () => (await database).close())
  return await database
}

/** Resolves once a listener, which goes on listening, was notified. */
async function expectListening(database: Database): Promise<void> {
  const listening = Promise.withResolvers<void>()
  const told = Promise.withResolvers<string>()
  const stop = database.listen('test', { connected: listening.resolve, notified: told.resolve })
  onTestFinished(stop)
  await listening.promise
  await database.sql.rows(statement('test.notify_all', `select pg_notify('test', $1)`), ['ü€'])
  expect(await told.promise).toBe('ü€')
}
