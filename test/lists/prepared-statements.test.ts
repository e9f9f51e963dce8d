/** Prepared statements of a connection, however callers combine filters, orders and fields. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { AGENTS } from '../../src/areas/agents/queries.ts'
import { openDatabase } from '../../src/db/database.ts'
import { PREPARED_STATEMENTS } from '../../src/db/postgresql/database.ts'
import { statement } from '../../src/db/sql.ts'
import type { Context } from '../../src/gateway/context.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { cloneUrl } from '../setup/database.ts'

const onPostgresql = describe.runIf(process.env.DATABASE_URL)

const NAMES = statement('test.names', 'select name from pg_prepared_statements')

async function oneConnection() {
  const database_url = (await cloneUrl()) as string
  const database = await openDatabase({ database_url, data_dir: 'memory', pool_size: 1, timeout_ms: 10_000 })
  onTestFinished(() => database.close())
  const prepared = async () => (await database.sql.rows<{ name: string }>(NAMES, [])).map(({ name }) => name)
  return { database, prepared }
}

const FIELDS = [
  'name',
  'description',
  'state',
  'supervised',
  'revision',
  'updated_at',
  'created_by_name',
  'shared_with_me',
]
const FILTERS = { supervised: true, search: 'a', entity_type: 'TICKET', autonomy_type: 'AGENTIC' }

/** The members of the list that have a 1 in the number. */
const subset = <Item>(all: readonly Item[], bits: number): Item[] => all.filter((_, at) => bits & (1 << at))

onPostgresql('a connection', () => {
  test('has no more prepared statements than its ceiling, whatever callers combine', async () => {
    const { database, prepared } = await oneConnection()
    const ctx = {
      viewer: { type: 'API_KEY', acting_user: null, tenant_id: 'ten', environment: 'test' },
      services: { database, signing_secrets: ['a secret'] },
      transaction: null,
      db_time: new Stopwatch(),
      now: new Date(),
    } as unknown as Context
    let most = 0
    for (let bits = 0; bits < 1 << 8; bits++) {
      for (const sort of ['name', 'created_at']) {
        const args = Object.fromEntries(subset(Object.entries(FILTERS), bits % 16))
        await AGENTS.page(ctx, { sort, ...args }, new Set(subset(FIELDS, bits)))
      }
      // Prisma's are prepared on the same connection.
      if (bits % 8 === 0) {
        const ids = Array.from({ length: bits + 1 }, (_, n) => `ten_${n}`)
        await database.prisma.tenant.findMany({ where: { id: { in: ids } } })
        most = Math.max(most, (await prepared()).length)
      }
    }
    expect(most).toBe(PREPARED_STATEMENTS)
  })

  test('keeps the statements that are used, and prepares a closed one again', async () => {
    const { database, prepared } = await oneConnection()
    const one = (n: number) => statement(`test.${n}`, `select ${n} as n`)
    for (let n = 0; n < PREPARED_STATEMENTS * 2; n++) {
      await database.sql.rows(one(n), [])
      expect(await database.sql.rows(one(0), [])).toEqual([{ n: 0 }])
    }
    const names = await prepared()
    expect([names.length, names.includes('test.0'), names.includes('test.1')]).toEqual([
      PREPARED_STATEMENTS,
      true,
      false,
    ])
    expect(await database.sql.rows(one(1), [])).toEqual([{ n: 1 }])
    expect(await prepared()).toContain('test.1')
  })

  test('reads the rows of a statement that it prepares again by the columns that the table has by then', async () => {
    const { database } = await oneConnection()
    const run = (text: string) => database.sql.rows({ name: '', text, custom_plan: true }, [])
    const NUMBERS = statement('test.columns', 'select * from columns order by 1')
    await run('create table columns (value int)')
    await run('insert into columns values (1)')
    for (let times = 0; times < 3; times++)
      expect(await database.sql.rows(NUMBERS, [])).toEqual([{ value: 1 }])
    await run('alter table columns alter value type text, add other jsonb default \'{"a":[2]}\'')
    await expect(database.sql.rows(NUMBERS, [])).rejects.toThrow('cached plan must not change result type')
    for (let n = 0; n < PREPARED_STATEMENTS; n++)
      await database.sql.rows(statement(`test.${n}`, `select ${n} as n`), [])
    for (let times = 0; times < 3; times++)
      expect(await database.sql.rows(NUMBERS, [])).toEqual([{ value: '1', other: { a: [2] } }])
  })

  test('closes a statement in a transaction that has failed, and goes on', async () => {
    const { database, prepared } = await oneConnection()
    const failing = database.prisma.$transaction(async (tx) => {
      await tx.$queryRawUnsafe('select 1 / 0').catch(() => {})
      for (let n = 0; n < PREPARED_STATEMENTS + 5; n++) {
        await tx.$queryRawUnsafe(`select ${n}::int as n`).catch(() => {})
      }
      throw new Error('It is rolled back')
    })
    await expect(failing).rejects.toThrow()
    for (let n = 0; n < PREPARED_STATEMENTS + 5; n++)
      expect(await database.sql.rows(statement(`test.${n}`, `select ${n} as n`), [])).toEqual([{ n }])
    expect((await prepared()).length).toBe(PREPARED_STATEMENTS)
  })
})
