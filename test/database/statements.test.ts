import { describe, expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { oneOf, shaped } from '../../src/db/shaped.ts'
import { type Statement, statement } from '../../src/db/sql.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { cloneUrl } from '../setup/database.ts'
import { onPostgresql, tenancy } from './rows.ts'

describe('statements', () => {
  onPostgresql('are prepared by their names, but for those that are planned anew', async () => {
    const database = await openDatabase({
      ...{ database_url: (await cloneUrl()) as string, data_dir: 'memory', pool_size: 1, timeout_ms: 10_000 },
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
    await list(reach, [], [condition, { ...condition, name: 'b', custom_plan: true }])
    expect(asked).toEqual([
      { name: 'test.list a', text: expect.stringContaining('a = $3') },
      { name: 'test.list a b', text: expect.stringContaining('a = $4'), custom_plan: true },
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
