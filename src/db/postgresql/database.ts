/** PostgreSQL: one pool of connections, shared by Prisma and by statements of our own. */

import { createRequire } from 'node:module'
import pg from 'pg'
import { ApiError } from '../../errors/errors.ts'
import { rethrow } from '../adapter-internals.ts'
import { type Driver, type Migrator, withMethods } from '../driver.ts'
import { SESSION_SETTINGS } from '../session-settings.ts'
import type { Sql } from '../sql.ts'
import { ConnectionShares } from '../tenancy/connection-shares.ts'
import { currentClaim } from '../tenancy/tenant-work.ts'
import { KEEP_ALIVE } from './keep-alive.ts'
import { listenOn } from './listener.ts'
import { limitPreparedStatements } from './prepared-statements.ts'
import { requireSessions } from './sessions.ts'
import { rowsOn } from './statement-query.ts'
import { joinable, transactions } from './transaction.ts'

interface PoolOptions {
  database_url: string
  pool_size: number
  timeout_ms: number
  application_name: string
}

/** The maximum number of Prisma's prepared statements: it makes new SQL for every length of a list. */
const PRISMA_NAMES = 300
const MIGRATION_LOCK = 7_236_190_452

/** The maximum number of statements that wait for a connection: further ones are refused at once. */
const MAX_WAITING = 2000

/**
 * The server gives up on a statement before we stop waiting for it, and a connection is made sooner still. Waiting
 * for one of ours to be free may take twice as long: under load that is how callers are slowed down.
 */
export const openPostgresql = (options: PoolOptions): Driver => {
  const pool = openPool(options.database_url, options.application_name, {
    // One more for work that holds one already.
    max: options.pool_size + 1,
    Client: clientWith({ connectionTimeoutMillis: Math.ceil(options.timeout_ms * 0.7) }),
    connectionTimeoutMillis: options.timeout_ms * 2,
    statement_timeout: Math.ceil(options.timeout_ms * 0.85),
    query_timeout: options.timeout_ms,
    idle_in_transaction_session_timeout: options.timeout_ms * 2,
  })
  const shares = new ConnectionShares({
    size: options.pool_size,
    max_waiting: MAX_WAITING,
    patience_ms: options.timeout_ms * 2,
  })
  pool.connect = sharedConnect(pool, shares)
  return {
    kind: 'postgresql',
    source: { url: options.database_url, query: queryTexts(pool) },
    load: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: shares.waiting }),
    adapter: () =>
      joinable(new (adapterPackage().PrismaPg)(pool, { statementNameGenerator: statementNames() })),
    sql: sqlOn(pool),
    transaction: transactions(pool),
    migrating: (work) => withMigrationLock(options.database_url, options.application_name, work),
    listen: (channel, listener) =>
      listenOn(
        {
          connectionString: options.database_url,
          application_name: options.application_name,
          connectionTimeoutMillis: options.timeout_ms,
          query_timeout: options.timeout_ms,
        },
        channel,
        listener,
      ),
    requireSessions: () =>
      requireSessions(async () => {
        const { database_url: connectionString, application_name, timeout_ms } = options
        // Poolers refuse other parameters. A setting would stay in a session that another client is given.
        const client = new pg.Client({
          connectionString,
          application_name,
          connectionTimeoutMillis: timeout_ms,
          query_timeout: timeout_ms,
        })
        client.on('error', () => {})
        await client.connect()
        return client
      }),
    close: () => pool.end(),
  }
}

const require = createRequire(import.meta.url)

/** For Prisma and for migrations only. */
const adapterPackage = () => require('@prisma/adapter-pg') as typeof import('@prisma/adapter-pg')

const openPool = (connectionString: string, application_name: string, limits: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool({
    connectionString,
    application_name,
    ...KEEP_ALIVE,
    idleTimeoutMillis: 60_000,
    onConnect: (client) => client.query(SESSION_SETTINGS),
    ...limits,
  })
  // The pool drops a connection that dies; without listeners its error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  // A rollback that timed out leaves its transaction open, so its connection is closed.
  pool.on('release', (_error, client) => {
    if (client.getTransactionStatus() !== 'I') client.end().catch(() => {})
  })
  pool.query = ((...args: Parameters<pg.PoolClient['query']>) =>
    onConnection(
      pool,
      (client) => client.query(...args) as unknown as Promise<unknown>,
    )) as unknown as pg.Pool['query']
  return pool
}

/** Prepared statements of one connection: of the service, of lists as callers combine them, and Prisma's. */
export const PREPARED_STATEMENTS = 400

/**
 * The pool has one limit for waiting and for connecting; the client's own is for connecting. A pipelined client sends a
 * statement without waiting for the result of the one before.
 */
const clientWith = (own: pg.ClientConfig) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...own, pipeline: true } as pg.ClientConfig)
      limitPreparedStatements(this, PREPARED_STATEMENTS)
    }
  }

/** Connects in the turn of the tenant for whom it is. The connection is given back with its release. */
const sharedConnect = (pool: pg.Pool, shares: ConnectionShares) => {
  const connect = pool.connect.bind(pool)
  const leases = new WeakMap<pg.PoolClient, () => void>()
  pool.on('release', (_error, client) => {
    const release = leases.get(client)
    leases.delete(client)
    release?.()
  })
  return (async () => {
    const release = await shares.take(currentClaim())
    try {
      const client = await connect()
      leases.set(client, release)
      return client
    } catch (error) {
      release()
      throw error
    }
  }) as pg.Pool['connect']
}

/** Keeps the connection after an error of the statement. The pool's own `query` closes it after any error. */
async function onConnection<Result>(
  pool: pg.Pool,
  query: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let broken = true
  try {
    const result = await query(client)
    broken = false
    return result
  } catch (error) {
    const is_known = error instanceof ApiError
    broken = !is_known && !(error instanceof pg.DatabaseError && error.severity === 'ERROR')
    throw error
  } finally {
    client.release(broken)
  }
}

const sqlOn = (pool: pg.Pool): Sql => ({
  rows: (statement, values, budget) =>
    onConnection(pool, (client) => rowsOn(client, statement, values, budget)),
})

const queryTexts = (pool: pg.Pool) => async (text: string, values?: unknown[]) => {
  const result: pg.QueryResult | pg.QueryResult[] = await pool.query(text, values)
  return { rows: [result].flat().flatMap(({ rows }) => rows) }
}

const statementNames = () => {
  const names = new Map<string, string>()
  return ({ sql }: { sql: string }): string => {
    const known = names.get(sql)
    if (known !== undefined || names.size === PRISMA_NAMES) return known ?? ''
    const name = `prisma_${names.size}`
    names.set(sql, name)
    return name
  }
}

const withMigrationLock = async <T>(
  url: string,
  application_name: string,
  work: (migrator: Migrator) => Promise<T>,
) => {
  const lock = new pg.Client({ connectionString: url, application_name, ...KEEP_ALIVE })
  // Another process may have the lock from then on: this one does nothing more.
  const lost = new Promise<never>((_, reject) => lock.on('error', reject))
  lost.catch(() => {})
  const pool = openPool(url, application_name, { max: 1 })
  try {
    await lock.connect()
    await lock.query(SESSION_SETTINGS)
    await acquireLock(lock)
    const sql = sqlOn(pool)
    return await Promise.race([work({ adapter: migrationAdapter(pool), sql }), lost])
  } finally {
    await Promise.all([pool.end(), lock.end()])
  }
}

/** Polls for the lock: a session that blocks on it would hold up `create index concurrently`. */
const acquireLock = async (client: pg.Client): Promise<void> => {
  const ask = () => client.query('select pg_try_advisory_lock($1) as mine', [MIGRATION_LOCK])
  while (!(await ask()).rows[0].mine) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** The adapter splits a script at every semicolon, inside function bodies too. */
const migrationAdapter = (pool: pg.Pool) =>
  withMethods(new (adapterPackage().PrismaPg)(pool), (adapter) => ({
    executeScript: async (script) => {
      await pool.query(script).catch((error: unknown) => rethrow(adapter, error))
    },
  }))
