/** One statement on one connection: as the service sends and reads it, and by the query of `pg` itself. */
import { createRequire } from 'node:module'
import type Pg from 'pg'
import { parsers } from '../src/db/column-types.ts'
import { limitPreparedStatements } from '../src/db/postgresql/prepared-statements.ts'
import { rowsOn } from '../src/db/postgresql/statement-query.ts'
import { SERVER } from './data/databases.ts'
import { progress } from './progress.ts'

// The package of the service, whose client knows its queries: the benchmark has one of its own.
const pg = createRequire(import.meta.resolve('../src/db/postgresql/statement-query.ts'))('pg') as typeof Pg

const ROWS = `create temporary table bench_row as
  select 'id_' || n as id, n, n % 7 as kind, now() - n * interval '1 hour' as created_at, now() as updated_at,
    'name ' || n as name, 'ACTIVE' as status, null::text as note, n % 2 = 0 as mapped,
    jsonb_build_object('a', n) as details, 'first ' || n as first, 'last ' || n as last, n * 1.5 as hours
  from generate_series(1, 500) n`

const STATEMENTS = {
  'no row': { text: 'select * from bench_row where id = $1', values: ['none'], times: 2000 },
  'one row of 13 columns': { text: 'select * from bench_row where id = $1', values: ['id_77'], times: 2000 },
  '50 rows': { text: 'select * from bench_row order by id limit $1', values: [50], times: 500 },
}
/** As many wait for an answer at a time as a busy connection has. */
const AT_ONCE = 10

/** Microseconds of this process' CPU for each statement: one number a round. */
export type StatementCosts = Record<'ours' | 'pg' | 'again', number[]>

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format),
} as Pg.CustomTypesConfig

async function cpuOf(times: number, run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let sent = 0; sent < times; sent += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, run))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** Each kind of statement, alternated, in reversed order every other round. */
export async function measureStatements(rounds: number): Promise<Map<string, StatementCosts>> {
  progress('statements')
  const client = new pg.Client({ connectionString: SERVER, pipeline: true } as Pg.ClientConfig)
  limitPreparedStatements(client, 10)
  await client.connect()
  await client.query(ROWS)
  await client.query('create index on bench_row (id)')
  await client.query('analyze bench_row')
  const measured = new Map<string, StatementCosts>()
  for (const [name, { text, values, times }] of Object.entries(STATEMENTS)) {
    const ours = () => rowsOn(client, { name, text }, values)
    const by_pg = () => client.query({ name, text, values, types })
    const contenders = Object.entries({ ours, pg: by_pg, again: by_pg }) as [
      keyof StatementCosts,
      () => Promise<unknown>,
    ][]
    for (const [, run] of contenders) await cpuOf(times, run)
    const costs: StatementCosts = { ours: [], pg: [], again: [] }
    for (let round = 0; round < rounds; round++)
      for (const [who, run] of round % 2 ? contenders.toReversed() : contenders)
        costs[who].push(await cpuOf(times, run))
    measured.set(name, costs)
  }
  await client.end()
  return measured
}
