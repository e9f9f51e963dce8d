import { describe, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { type Fragment, select } from '../../src/db/query/fragment.ts'
import { type Statement, statement } from '../../src/db/sql.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { anyOf } from '../../src/schema/lists/list.ts'
import { cloneUrl } from '../setup/database.ts'
import { onPostgresql, tenancy } from './rows.ts'

describe('statements', () => {
  onPostgresql('are prepared by their names, but for those that are planned anew', async () => {
    const database = await openDatabase({
      database_url: (await cloneUrl()) as string,
      data_dir: 'memory',
      pool_size: 1,
      timeout_ms: 10_000,
    })
    onTestFinished(() => database.close())
    const text = 'select count(*) as links from company_link where sort_name like $1::text'
    const custom_plan = true
    for (const name of ['%one%', '%two%']) {
      await database.sql.rows(statement('test.prepared', text), [name])
      await database.sql.rows({ name: 'test.planned', text, custom_plan }, [name])
    }
    const PREPARED = statement('test.names', 'select name from pg_prepared_statements where statement = $1')
    expect(await database.sql.rows(PREPARED, [text])).toEqual([{ name: 'test.prepared' }])
  })

  test('are composed of fragments: parameters by name, then values in order', async () => {
    const asked: { query: Statement; values: readonly unknown[] }[] = []
    const rows = async <Row>(query: Statement, values: readonly unknown[]): Promise<Row[]> => {
      asked.push({ query, values: values.slice(2) })
      return []
    }
    const reach = {
      viewer: tenancy(),
      transaction: null,
      db_time: new Stopwatch(),
      services: { database: { sql: { rows } } as unknown as Database },
    }
    const text = 'select $who where tenant_id = $1 and environment = $2 and a = ? and b = $who and c = ?'
    const fragment: Fragment = { text, values: [1, 2] }
    await select(reach, 'test', fragment, { who: 'ada', other: 'unused' })
    await select(reach, 'test', fragment, { who: 'bob' })
    await select(
      reach,
      'test',
      { text: `${text} and d = 1`, values: [1, 2], custom_plan: true },
      { who: 'ada' },
    )
    const numbered = 'select $3 where tenant_id = $1 and environment = $2 and a = $4 and b = $3 and c = $5'
    const name = expect.stringMatching(/^test [\w-]{12}$/)
    expect(asked).toEqual([
      { query: { name, text: numbered }, values: ['ada', 1, 2] },
      { query: { name, text: numbered }, values: ['bob', 1, 2] },
      { query: { name, text: `${numbered} and d = 1`, custom_plan: true }, values: ['ada', 1, 2] },
    ])
    expect(asked[0]?.query).toBe(asked[1]?.query)
    expect(asked[0]?.query.name).not.toBe(asked[2]?.query.name)
  })
})

describe('a condition of several values', () => {
  onPostgresql('is planned once, however many there are', async () => {
    const database = await openDatabase({
      database_url: (await cloneUrl()) as string,
      data_dir: 'memory',
      pool_size: 1,
      timeout_ms: 10_000,
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
    const names = ['a1', 'a2', 'a3', 'a4']
    for (let time = 0; time < 40; time++) {
      const { text, values = [] } = anyOf('sort_name', 'text')(names.slice(time % 4))
      const rows = `select * from agent where tenant_id = $1 and environment = $2 and ${text}`
      await select(reach, 'test.several', { text: rows, values })
    }
    const PLANS = statement(
      'test.plans',
      'select custom_plans, generic_plans from pg_prepared_statements where name like $1',
    )
    const [plans] = await database.sql.rows(PLANS, ['test.several %'])
    expect(plans).toEqual({ custom_plans: 5, generic_plans: 35 })
  })
})
