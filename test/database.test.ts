import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../src/db/database.ts'
import { holdDirectory } from '../src/db/embedded-lock.ts'
import { isConflict, isOutage, isUnique } from '../src/db/errors.ts'
import { applyMigrations } from '../src/db/migrations/apply.ts'
import { readMigrations } from '../src/db/migrations/files.ts'
import { missingSql } from '../src/db/migrations/missing-sql.ts'
import { oneOf, shaped } from '../src/db/shaped.ts'
import { type Statement, statement } from '../src/db/sql.ts'
import { Stopwatch } from '../src/lib/stopwatch.ts'
import { cloneDatabase, cloneUrl, openTestDatabase, testDatabase } from './setup/database.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)
const AT = new Date('2026-03-29T01:30:00.123Z')

const tenancy = () => ({ tenant_id: randomUUID(), environment: 'test' })
const link = { system: 'X', created_at: AT, updated_at: AT }
const entry = () => ({
  ...tenancy(),
  id: randomUUID(),
  occurred_at: AT,
  action: 'settings.updated',
  actor_type: 'user',
  actor_id: 'u',
  actor_name: 'U',
  targets: [],
  context: {},
})

const VALUES = statement(
  'test.values',
  `select $1::timestamptz as at, $2::text[] as words, $3::int4[] as numbers, $4::jsonb as json, $5::bytea as bytes,
     $6::date as day, $7::text as nothing, count(*) as many, 1.25::numeric as share, true as yes, 0.5::float8 as half,
     array[$1::timestamptz] as times, array[7::int8] as big
   from (values (1), (2)) as two`,
)

const valuesThrough = async ({ sql }: Database) => {
  const json = { a: [1, 'b'], c: null }
  const bytes = Buffer.from([0, 255, 92])
  const words = ['a "quoted" one', 'b,c', 'ü']
  const [row] = await sql.rows<Record<string, unknown>>(VALUES, [
    AT,
    words,
    [1, 2],
    JSON.stringify(json),
    bytes,
    '2026-01-31',
    null,
  ])
  expect(row).toEqual({
    at: AT,
    words,
    numbers: [1, 2],
    json,
    bytes,
    day: '2026-01-31',
    nothing: null,
    many: 2,
    share: 1.25,
    yes: true,
    half: 0.5,
    times: [AT],
    big: [7],
  })
}

describe('statements', () => {
  onPostgresql('are prepared by their names, but for those that are planned anew', async () => {
    const database = await openDatabase({
      ...{ database_url: (await cloneUrl()) as string, data_dir: 'memory', pool_size: 1, timeout_ms: 10_000 },
    })
    onTestFinished(() => database.close())
    const text = 'select count(*) as links from company_link where sort_name like $1::text'
    const planned_anew = true
    for (const name of ['%one%', '%two%']) {
      await database.sql.rows(statement('test.prepared', text), [name])
      await database.sql.rows({ name: 'test.planned', text, planned_anew }, [name])
    }
    const PREPARED = statement('test.names', 'select name from pg_prepared_statements where statement = $1')
    expect(await database.sql.rows(PREPARED, [text])).toEqual([{ name: 'test.prepared' }])
  })

  test('of a list are planned anew for conditions whose values decide how rows are found', async () => {
    const asked: Statement[] = []
    const rows = async <Row>(query: Statement): Promise<Row[]> => {
      asked.push(query)
      return []
    }
    const reach = {
      ...{ viewer: tenancy(), transaction: null, db_time: new Stopwatch() },
      services: { database: { sql: { rows } } as unknown as Database },
    }
    const list = shaped('test.list', (and) => `select 1 where tenant_id = $1 and environment = $2${and}`)
    const condition = { name: 'a', text: 'a = ?', values: [1] }
    await list(reach, [], [condition])
    await list(reach, [], [condition, { ...condition, name: 'b', planned_anew: true }])
    expect(asked).toEqual([
      { name: 'test.list a', text: expect.stringContaining('a = $3') },
      { name: 'test.list a b', text: expect.stringContaining('a = $4'), planned_anew: true },
    ])
  })
})

describe('a condition of several values', () => {
  onPostgresql('is planned once, however many there are', async () => {
    const database = await openDatabase({
      ...{ database_url: (await cloneUrl()) as string, data_dir: 'memory', pool_size: 1, timeout_ms: 10_000 },
    })
    onTestFinished(() => database.close())
    const viewer = tenancy()
    const AGENTS = statement(
      'test.agents',
      `insert into agent (tenant_id, environment, name, autonomy_type, trigger_type, entity_type, created_by_name,
         created_at, updated_at)
       select $1, $2, 'a' || n, 'AGENTIC', 'TRIGGERED', 'TICKET', 'Somebody', now(), now()
       from generate_series(1, 5000) n`,
    )
    await database.sql.rows(AGENTS, [viewer.tenant_id, viewer.environment])
    await database.sql.rows(statement('test.analyze', 'analyze agent'), [])
    const reach = { viewer, transaction: null, db_time: new Stopwatch(), services: { database } }
    const list = shaped(
      'test.several',
      (and) => `select * from agent where tenant_id = $1 and environment = $2${and}`,
    )
    const names = ['a1', 'a2', 'a3', 'a4']
    for (let time = 0; time < 40; time++) {
      await list(reach, [], [oneOf('name', 'sort_name', names.slice(time % 4))])
    }
    const PLANS = statement(
      'test.plans',
      'select custom_plans, generic_plans from pg_prepared_statements where name = $1',
    )
    const [plans] = await database.sql.rows(PLANS, ['test.several name'])
    expect(plans).toEqual({ custom_plans: 5, generic_plans: 35 })
  })
})

describe('values', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  test('a statement of our own gives the same values on both databases', async () => {
    await valuesThrough(await testDatabase())
  })

  test.each(['America/New_York', 'Asia/Kolkata'])(
    'values do not depend on the process being in %s',
    async (tz) => {
      process.env.TZ = tz
      await valuesThrough(await testDatabase())
      await timesThroughPrisma(await testDatabase())
    },
  )

  onPostgresql('values do not depend on the time zone of the server', async () => {
    const url = (await cloneUrl()) as string
    const name = new URL(url).pathname.slice(1)
    const before = await openTestDatabase(url)
    await before.prisma.$executeRawUnsafe(`alter database "${name}" set timezone = 'Asia/Kolkata'`)
    await before.close()
    const database = await openTestDatabase(url)
    onTestFinished(() => database.close())
    await valuesThrough(database)
    await timesThroughPrisma(database)
  })

  const timesThroughPrisma = async ({ prisma }: Database) => {
    const row = {
      ...tenancy(),
      key_id: 'k',
      day: new Date('2026-01-31'),
      operation: 'o',
      requests: 1,
      errors: 0,
    }
    expect(await prisma.apiKeyUsage.create({ data: row })).toEqual(row)
    expect(await prisma.apiKeyUsage.findMany({ where: { tenant_id: row.tenant_id } })).toEqual([row])
    const first = entry()
    expect((await prisma.activityEntry.create({ data: first })).occurred_at).toEqual(AT)
    expect(await prisma.activityEntry.count({ where: { id: first.id, occurred_at: AT } })).toBe(1)
  }

  test('Prisma keeps bytes, lists, nulls and times', async () => {
    const { prisma, sql } = await testDatabase()
    const row = {
      ...tenancy(),
      id: randomUUID(),
      name: 'n',
      description: null,
      key_hash: new Uint8Array([0, 255, 92, ...Buffer.from(randomUUID())]),
      prefix: 'p',
      last_four: '1234',
      scopes: ['a:read', 'b, "c"'],
      allowed_cidrs: [],
      created_by_user_id: 'u',
      created_by_name: 'U',
      created_at: AT,
      updated_at: AT,
      expires_at: AT,
    }
    await prisma.apiKey.create({ data: row })
    const where = { key_hash: row.key_hash }
    expect(await prisma.apiKey.findUniqueOrThrow({ where })).toMatchObject({ ...row, last_used_at: null })
    const found = statement(
      'test.key',
      'select scopes, allowed_cidrs, created_at from api_key where key_hash = $1',
    )
    expect(await sql.rows(found, [row.key_hash])).toEqual([
      { scopes: row.scopes, allowed_cidrs: [], created_at: AT },
    ])
  })

  test('Prisma keeps JSON, and tells no value from null', async () => {
    const { prisma } = await testDatabase()
    const json = [{ type: 'agent', id: 'ü "1"', deep: { list: [1, null, 'x'], at: AT.toISOString() } }]
    const data = { ...entry(), targets: json, after: 'a string' }
    expect(await prisma.activityEntry.create({ data })).toMatchObject({
      targets: json,
      before: null,
      after: 'a string',
    })
  })

  test('generated columns follow what they are made of', async () => {
    const { prisma } = await testDatabase()
    const own = tenancy()
    const row = { ...own, ...link, external_id: 'Ä', link_state: 'AUTO' as const, confidence: 0.97 }
    expect(await prisma.companyLink.create({ data: row })).toMatchObject({
      ...row,
      mapped: false,
      sort_name: 'ä',
    })
    const company = { ...own, id: 'c', psa_company_id: 'p', name: 'ÉCOLE', created_at: AT, updated_at: AT }
    expect(await prisma.endCompany.create({ data: company })).toMatchObject({
      sort_name: 'école',
      domains: [],
    })
    await prisma.companyLink.updateMany({ where: own, data: { psa_company_id: 'p', external_name: 'Zoë' } })
    expect(await prisma.companyLink.findFirst({ where: own })).toMatchObject({
      mapped: true,
      sort_name: 'zoë',
    })
  })

  test('lists are in byte order', async () => {
    const { prisma } = await testDatabase()
    const own = tenancy()
    const ids = ['B', 'a', 'Z', 'é', 'a-b', 'ab', '_']
    await prisma.companyLink.createMany({
      data: ids.map((external_id) => ({ ...own, ...link, external_id })),
    })
    const rows = await prisma.companyLink.findMany({ where: own, orderBy: { external_id: 'asc' } })
    expect(rows.map(({ external_id }) => external_id)).toEqual(['B', 'Z', '_', 'a', 'a-b', 'ab', 'é'])
    const named = await prisma.companyLink.findMany({ where: own, orderBy: { sort_name: 'asc' } })
    expect(named.map(({ sort_name }) => sort_name)).toEqual(['_', 'a', 'a-b', 'ab', 'b', 'z', 'é'])
  })
})

describe('what the database refuses', () => {
  test('an activity entry stays as it was, except for retention', async () => {
    const { prisma } = await testDatabase()
    const data = entry()
    const where = { tenant_id: data.tenant_id }
    await prisma.activityEntry.create({ data })
    await expect(prisma.activityEntry.updateMany({ where, data: { action: 'x' } })).rejects.toThrow(
      'only ever',
    )
    await expect(prisma.activityEntry.deleteMany({ where })).rejects.toThrow('only ever inserted')
    await prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`set local app.retention = 'on'`)
      await tx.activityEntry.deleteMany({ where })
    })
    expect(await prisma.activityEntry.count({ where })).toBe(0)
    await prisma.activityEntry.create({ data })
    await expect(prisma.activityEntry.deleteMany({ where })).rejects.toThrow('only ever inserted')
  })

  test('a second row with the same key is told apart from other errors', async () => {
    const { prisma, sql } = await testDatabase()
    const row = { key: randomUUID(), tokens: 1, burst_tokens: 1, granted: 0, refilled_at: AT }
    await prisma.rateBucket.create({ data: row })
    const again = statement('test.again', 'insert into rate_bucket select * from rate_bucket where key = $1')
    for (const attempt of [() => prisma.rateBucket.create({ data: row }), () => sql.rows(again, [row.key])]) {
      const error = await attempt().then(null, (thrown: unknown) => thrown)
      expect(isUnique(error)).toBe(true)
      expect(isOutage(error)).toBe(false)
    }
    const negative = await prisma.rateBucket
      .update({ where: { key: row.key }, data: { tokens: -1 } })
      .catch(String)
    expect(negative).toContain('rate_bucket_not_negative')
  })

  test('a transaction that fails leaves nothing behind', async () => {
    const { prisma } = await testDatabase()
    const row = { key: randomUUID(), tokens: 1, burst_tokens: 1, granted: 0, refilled_at: AT }
    const failing = prisma.$transaction(async (tx) => {
      await tx.rateBucket.create({ data: row })
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(await prisma.rateBucket.count({ where: { key: row.key } })).toBe(0)
  })

  test('a commit that the database refuses is an error', async () => {
    const { prisma } = await testDatabase()
    const table = `late_${randomUUID().slice(0, 8)}`
    await prisma.$executeRawUnsafe(`create table ${table} (a int, unique (a) deferrable initially deferred)`)
    onTestFinished(async () => {
      await prisma.$executeRawUnsafe(`drop table ${table}`)
    })
    const twice = prisma.$transaction((tx) => tx.$executeRawUnsafe(`insert into ${table} values (1), (1)`))
    const error = await twice.then(null, (thrown: unknown) => thrown)
    expect(isUnique(error)).toBe(true)
  })
})

describe('migrations', () => {
  test('make what the schema says', async () => {
    expect(await missingSql()).toBeNull()
  })

  test('are applied once', async () => {
    const database = await emptyDatabase()
    expect(await applyMigrations(database)).toHaveLength((await readMigrations()).length)
    expect(await applyMigrations(database)).toEqual([])
  })

  onPostgresql('are applied once by ten that start together', async () => {
    const url = (await cloneUrl()) as string
    const databases = await Promise.all(Array.from({ length: 10 }, () => openTestDatabase(url)))
    onTestFinished(async () => {
      await Promise.all(databases.map((database) => database.close()))
    })
    await emptied(databases[0] as Database)
    const applied = await Promise.all(databases.map((database) => applyMigrations(database)))
    expect(applied.flat()).toHaveLength((await readMigrations()).length)
  })

  test('stop at one that failed, and go on being refused', async () => {
    const database = await emptyDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const write = async (name: string, script: string) => {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'migration.sql'), script)
    }
    await write('1_good', `create table good (a text default 'x;y');`)
    await write('2_bad', 'create table half (a int); select 1 / 0;')
    await write('3_after', 'create table after_it (a int);')
    await expect(applyMigrations(database, folder)).rejects.toThrow(/2_bad/)
    await expect(applyMigrations(database, folder)).rejects.toThrow(/failed/)
    const tables = await database.sql.rows<{ name: string }>(
      statement(
        'test.tables',
        `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
      ),
      [],
    )
    expect(tables.map(({ name }) => name)).toEqual(['_prisma_migrations', 'good'])
  })

  const emptied = async ({ prisma }: Database) => {
    await prisma.$executeRawUnsafe('drop schema public cascade')
    await prisma.$executeRawUnsafe('create schema public')
  }

  const emptyDatabase = async () => {
    const database = await cloneDatabase()
    onTestFinished(() => database.close())
    await emptied(database)
    return database
  }
})

describe('the embedded database’s directory', () => {
  const newDirectory = async () => {
    const parent = await mkdtemp(join(tmpdir(), 'data-'))
    onTestFinished(() => rm(parent, { recursive: true }))
    return join(parent, 'data')
  }

  const abandon = async (directory: string, change: object) => {
    const held = await holdDirectory(directory)
    const lock = `${held.directory}.lock`
    await writeFile(lock, JSON.stringify({ ...JSON.parse(await readFile(lock, 'utf8')), ...change }))
    return lock
  }

  test('is refused to a second process, which is told of the first', async () => {
    const directory = await newDirectory()
    const held = await holdDirectory(directory)
    await expect(holdDirectory(directory)).rejects.toThrow(`${directory} is in use by process ${process.pid}`)
    await held.release()
    await (await holdDirectory(directory)).release()
  })

  test('is refused while the holder is on another machine', async () => {
    const directory = await newDirectory()
    await abandon(directory, { host: 'elsewhere' })
    await expect(holdDirectory(directory)).rejects.toThrow('on elsewhere')
  })

  test.each([
    ['of a dead process', { pid: 2 ** 22 + 1 }],
    ['of a dead process whose pid lives again', { began: 'before the last boot' }],
  ])('left by a lock %s is taken over by exactly one of many', async (_which, change) => {
    const directory = await newDirectory()
    await abandon(directory, { token: randomUUID(), ...change })
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => holdDirectory(directory)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('left in the middle of a takeover is taken over', async () => {
    const directory = await newDirectory()
    const token = randomUUID()
    const lock = await abandon(directory, { token, pid: 2 ** 22 + 1 })
    await writeFile(`${lock}.${token}`, await readFile(lock))
    await (await holdDirectory(directory)).release()
  })
})

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
    await new Promise((resolve) => setTimeout(resolve, 300))
    await endConnections(new URL(url).pathname.slice(1))
    for (const error of await errors) expect(isOutage(error)).toBe(true)
    await database.ping()
  })

  onPostgresql('survive a statement that the database refuses', async () => {
    const { sql } = await testDatabase()
    const pids = () => sql.rows<{ pid: number }>(statement('test.pid', 'select pg_backend_pid() as pid'), [])
    const before = await pids()
    await expect(sql.rows(statement('test.division', 'select 1 / 0'), [])).rejects.toThrow('zero')
    expect(await pids()).toEqual(before)
  })

  const endConnections = async (name: string) => {
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL as string })
    await client.connect()
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await client.end()
  }
})

describe('errors', () => {
  const adapterError = (cause: object) => Object.assign(new Error('x'), { name: 'DriverAdapterError', cause })

  test.each<[string, unknown, boolean]>([
    ['no server', { code: 'P1001' }, true],
    ['no free connection', { code: 'P2024' }, true],
    ['no transaction in time', { code: 'P2028' }, true],
    ['refused', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), true],
    ['refused at every address', new AggregateError([{ code: 'ECONNREFUSED' }]), true],
    ['shutting down', { code: '57P01' }, true],
    ['too many connections', { code: '53300' }, true],
    ['a database that nobody has migrated', { code: '42P01' }, true],
    [
      'statement timeout, as Prisma tells it',
      { code: 'P2010', meta: { driverAdapterError: adapterError({ originalCode: '57014' }) } },
      true,
    ],
    ['closed, as the adapter tells it', adapterError({ kind: 'ConnectionClosed' }), true],
    ['a pool without a connection', new Error('timeout exceeded when trying to connect'), true],
    ['a server that is silent', new Error('Query read timeout'), true],
    ['a lost connection', new Error('x', { cause: new Error('Connection terminated unexpectedly') }), true],
    ['a unique violation', { code: 'P2002' }, false],
    ['a deadlock', { code: '40P01' }, false],
    ['a bug', new TypeError('x is undefined'), false],
    ['nothing', undefined, false],
  ])('%s', (_name, error, outage) => {
    expect(isOutage(error)).toBe(outage)
  })

  test('a conflict is known in every form', () => {
    for (const code of ['P2034', '40001', '40P01']) expect(isConflict({ code })).toBe(true)
    expect(isConflict(adapterError({ kind: 'TransactionWriteConflict' }))).toBe(true)
    expect(isConflict({ code: 'P2002' })).toBe(false)
  })
})
