/** The connections: every statement is prepared by name, and planned once. */
import pg from 'pg'
import type { Call } from './call.ts'

const { DATABASE_URL, POOL = '4' } = process.env

pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: Number(POOL),
  idleTimeoutMillis: 60_000,
  // Left to itself PostgreSQL makes a new plan for every call whose limit or row value is a parameter. All statements
  // here are as fast by the plan that knows no values.
  options: '-c plan_cache_mode=force_generic_plan',
})

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

/** Runs `work` on one connection, in one transaction. */
export async function transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
