/** One pool, and statements that are prepared by name. */
import pg from 'pg'
import type { Call } from './call.ts'

const { DATABASE_URL, POOL = '4' } = process.env

pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: Number(POOL),
  idleTimeoutMillis: 60_000,
})

export interface Prepared {
  name: string
  text: string
}

type Asks = Pick<pg.Pool | pg.PoolClient, 'query'>

export async function rows<Row extends object>(
  call: Call,
  prepared: Prepared,
  values: unknown[],
  on: Asks = pool,
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
