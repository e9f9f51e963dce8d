/** Counting of SQL statements. */
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { embeddedIn } from './database.ts'

interface Client {
  query(...args: unknown[]): unknown
}

/** Statements outside the request: leases of tokens, usage, sweeps, settings of new connections. */
const NOT_OF_THE_WORK = /rate_bucket|api_key_usage|as noted|delete from idempotency_record|^set time zone/i

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown }).text ?? '')

/** Counts the statements of `work`. Inside a transaction they are visible on PostgreSQL only. */
export async function countStatements(database: Database, work: () => Promise<unknown>): Promise<number> {
  const client = (embeddedIn(database) ?? pg.Client.prototype) as unknown as Client
  const inherited = !Object.hasOwn(client, 'query')
  const { query } = client
  let count = 0
  client.query = function (...args) {
    if (!NOT_OF_THE_WORK.test(textOf(args[0]))) count++
    return query.apply(this, args)
  }
  try {
    await work()
    return count
  } finally {
    if (inherited) Reflect.deleteProperty(client, 'query')
    else client.query = query
  }
}
