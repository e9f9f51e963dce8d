/** PostgreSQL: one pool, shared by Prisma and by statements of our own. */

import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { parsers } from './column-types.ts'
import { adapted, type Driver, fail, type Migrator } from './driver.ts'
import { marked, settleInterrupted } from './interrupted.ts'
import type { Sql, Statement } from './sql.ts'

interface PoolOptions {
  database_url: string
  pool_size: number
  timeout_ms: number
  application_name: string
}

/** Prisma makes new SQL for every length of a list; the first texts are prepared, the rest are not. */
const PREPARED_AT_MOST = 300
const MIGRATION_LOCK = 7_236_190_452

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers[oid]) || pg.types.getTypeParser(oid, format as 'text'),
}

/** The server gives up on a statement before we stop waiting for it, and a connection comes sooner still. */
export const openPostgresql = (options: PoolOptions): Driver => {
  const pool = openPool(options.database_url, options.application_name, {
    max: options.pool_size,
    connectionTimeoutMillis: Math.ceil(options.timeout_ms * 0.7),
    statement_timeout: Math.ceil(options.timeout_ms * 0.85),
    query_timeout: options.timeout_ms,
    idle_in_transaction_session_timeout: options.timeout_ms * 2,
  })
  return {
    kind: 'postgresql',
    adapter: new PrismaPg(pool, { statementNameGenerator: statementNames() }),
    sql: sqlOn(pool),
    migrating: (work) => alone(options.database_url, options.application_name, work),
    close: () => pool.end(),
  }
}

const openPool = (connectionString: string, application_name: string, limits: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool({
    connectionString,
    application_name,
    keepAlive: true,
    idleTimeoutMillis: 60_000,
    types,
    // Prisma's adapter writes times without a zone and reads every zone as UTC.
    onConnect: (client) => client.query(`set time zone 'UTC'`),
    ...limits,
  })
  // The pool drops a connection that dies; without listeners its error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  // A rollback that timed out leaves its transaction open: nobody may inherit it.
  pool.on('release', (_error, client) => {
    if (client.getTransactionStatus() !== 'I') client.end().catch(() => {})
  })
  pool.query = patientQuery(pool)
  return pool
}

/** The pool's own `query` gives up the connection on any error, a unique violation too. */
const patientQuery = (pool: pg.Pool) =>
  (async (...args: Parameters<pg.PoolClient['query']>) => {
    const client = await pool.connect()
    let broken = true
    try {
      const result = await client.query(...args)
      broken = false
      return result
    } catch (error) {
      broken = !(error instanceof pg.DatabaseError && error.severity === 'ERROR')
      throw error
    } finally {
      client.release(broken)
    }
  }) as unknown as pg.Pool['query']

const sqlOn = (pool: pg.Pool): Sql => ({
  rows: async <Row>({ name, text, planned_anew }: Statement, values: readonly unknown[]) =>
    (await pool.query({ ...(!planned_anew && { name }), text, values: [...values] })).rows as Row[],
})

const statementNames = () => {
  const names = new Map<string, string>()
  return ({ sql }: { sql: string }): string => {
    const known = names.get(sql)
    if (known !== undefined || names.size === PREPARED_AT_MOST) return known ?? ''
    const name = `prisma_${names.size}`
    names.set(sql, name)
    return name
  }
}

const alone = async <T>(url: string, application_name: string, work: (migrator: Migrator) => Promise<T>) => {
  const lock = new pg.Client({ connectionString: url, application_name })
  lock.on('error', () => {})
  const pool = openPool(url, application_name, { max: 1 })
  try {
    await lock.connect()
    await taken(lock)
    const sql = sqlOn(pool)
    await settleInterrupted(sql)
    return await work({ adapter: wholeScripts(pool), sql })
  } finally {
    await Promise.all([pool.end(), lock.end()])
  }
}

/** Asks again and again: a session that waits for the lock would stop `create index concurrently`. */
const taken = async (client: pg.Client): Promise<void> => {
  const ask = () => client.query('select pg_try_advisory_lock($1) as mine', [MIGRATION_LOCK])
  while (!(await ask()).rows[0].mine) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** The adapter splits a script at every semicolon, inside function bodies too. */
const wholeScripts = (pool: pg.Pool) =>
  adapted(new PrismaPg(pool), (adapter) => ({
    executeScript: async (script) => {
      await pool.query(marked(script)).catch((error: unknown) => fail(adapter, error))
    },
  }))
