/** Transactions on a connection of the service's own pool, which Prisma joins if an area uses it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  Transaction as PrismaTransaction,
  SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import type pg from 'pg'
import { withTimeout } from '../../lib/timeout.ts'
import { startOnConnection } from '../adapter-internals.ts'
import { type Adapter, type Driver, transactionTimeout, withMethods } from '../driver.ts'
import type { Claim } from '../tenancy/connection-shares.ts'
import { holding } from '../tenancy/tenant-work.ts'
import { rowsOn } from './statement-query.ts'

/** Sends a query on the connection of a transaction. */
type Send = <Result>(query: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>

/** The open transaction that Prisma is asked to join. */
const joining = new AsyncLocalStorage<Send>()

export const transactions =
  (pool: pg.Pool): Driver['transaction'] =>
  (timeout_ms, work) =>
    holding(async (claim) => {
      const connection = reserveConnection(pool, claim)
      try {
        const result = await withTimeout(
          timeout_ms,
          work({
            rows: (statement, values) => connection.send((client) => rowsOn(client, statement, values)),
            rowsAndCommit: (statement, values) =>
              connection.sendLast((client) => rowsOn(client, statement, values)),
            joinedBy: (begin) => joining.run(connection.send, begin),
          }),
          transactionTimeout,
        )
        await connection.commit()
        return result
      } catch (error) {
        await connection.rollBack()
        throw error
      }
    })

/**
 * The connection of one transaction. It is taken from the pool at the first statement, with which BEGIN travels: a
 * change that is refused before it reaches for the database costs nothing.
 */
function reserveConnection(pool: pg.Pool, claim: Claim) {
  let client: pg.PoolClient | undefined
  let begun: Promise<unknown> | undefined
  let ended = false

  async function begin(): Promise<void> {
    const connected = await pool.connect()
    if (ended) {
      connected.release()
      return
    }
    client = connected
    claim.holds_one = true
    begun = connected.query('begin')
    // The first statement, which is sent with it, throws its error.
    begun.catch(() => {})
  }
  let connecting: Promise<void> | undefined

  const send: Send = async (query) => {
    connecting ??= begin()
    if (!client) await connecting
    if (ended || !client)
      throw new Error('The transaction has ended: it was committed, or its timeout expired')
    const [result] = await Promise.all([query(client), begun])
    return result
  }

  /** Sends the last statement and COMMIT in one round trip. If the statement fails, COMMIT rolls back. */
  const sendLast: Send = async (query) => {
    const [sent, ended] = await Promise.allSettled([
      send(query),
      (connecting ?? Promise.resolve()).then(commit),
    ])
    if (sent.status === 'rejected') throw sent.reason
    if (ended.status === 'rejected') throw ended.reason
    return sent.value
  }

  /** The pool closes a connection whose transaction is still open when it is released. */
  async function end(command: 'commit' | 'rollback'): Promise<string | undefined> {
    if (ended) return undefined
    ended = true
    if (!client) return undefined
    try {
      return (await client.query(command)).command
    } finally {
      claim.holds_one = false
      client.release()
    }
  }

  async function commit(): Promise<void> {
    // PostgreSQL answers ROLLBACK if a statement has failed, also if its error was caught.
    if ((await end('commit')) === 'ROLLBACK')
      throw new Error('A statement of the committed transaction had failed')
  }

  return {
    send,
    sendLast,
    commit,
    async rollBack(): Promise<void> {
      await end('rollback').catch(() => {})
    },
  }
}

const NOTHING = { rows: [], fields: [], rowCount: 0 }

/** The adapter's factory. Its transactions join the open one if there is one. */
export const joinable = (
  factory: SqlMigrationAwareDriverAdapterFactory,
): SqlMigrationAwareDriverAdapterFactory =>
  withMethods(factory, (adapter) => {
    const start = adapter.startTransaction.bind(adapter)
    return {
      startTransaction: (isolation) => {
        const send = joining.getStore()
        return send ? joinTransaction(adapter, send) : start(isolation)
      },
    }
  })

/** Prisma's transaction on the connection of the open one. Prisma neither begins nor ends it. */
async function joinTransaction(adapter: Adapter, send: Send): Promise<PrismaTransaction> {
  const connection = {
    query: (query: pg.QueryConfig) =>
      query.text === 'BEGIN' ? NOTHING : send((client) => client.query(query)),
    on() {},
    removeListener() {},
    release() {},
  }
  return await startOnConnection(adapter, connection)
}
