/** The connections: every statement is prepared by name, and planned once. */
import pg from 'pg'
import type { Call } from './call.ts'

const { DATABASE_URL, POOL = '4' } = process.env

pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: Number(POOL),
  idleTimeoutMillis: 60_000,
  // Left to itself PostgreSQL makes a new plan for every call whose limit or row value is a parameter. All statements
  // here are as fast by the plan that knows no values.
  options: '-c plan_cache_mode=force_generic_plan',
  // Statements of a transaction need not wait for each other's answers.
  pipeline: true,
} as pg.PoolConfig)

export interface Prepared {
  name: string
  text: string
}

type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

export async function rows<Row extends object>(
  call: Call,
  prepared: Prepared,
  values: unknown[],
  on: Queryable = pool,
): Promise<Row[]> {
  const started = performance.now()
  const result = await on.query<Row>({ ...prepared, values })
  call.db_ms += performance.now() - started
  return result.rows
}

/** What a transaction comes to: its result, and the statement that ends it, which COMMIT follows at once. */
export interface Outcome<T> {
  result: T
  last?: () => Promise<unknown>
}

/** Runs `work` on one connection, in one transaction; BEGIN travels with its first statement. */
export async function transaction<T>(work: (client: pg.PoolClient) => Promise<Outcome<T>>): Promise<T> {
  const client = await pool.connect()
  const begun = client.query('begin')
  try {
    const { result, last } = await work(client)
    await Promise.all([begun, last?.(), client.query('commit')])
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
