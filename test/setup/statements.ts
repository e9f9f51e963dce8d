/** The SQL statements that the service sends. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { embeddedIn } from './database.ts'

interface Client {
  query(...args: unknown[]): unknown
}

export interface SentStatement {
  /** The name that it is prepared under. Others are planned for their values. */
  name: string | undefined
  text: string
  values: readonly unknown[]
}

/** The statements that are being recorded where the code runs: those of timers and of earlier requests are not. */
const recording = new AsyncLocalStorage<SentStatement[] | null>()
let current: SentStatement[] | null = null

// A request comes over a socket, which the caller's asynchronous context does not cross.
subscribe('http.server.request.start', () => recording.enterWith(current))

/**
 * Statements of the work that do not belong to its answer: leases of tokens, usage, sweeps, notifications of workers,
 * settings of new connections.
 */
const NOT_OF_THE_WORK =
  /rate_bucket|pg_notify\('job'|api_key_usage|as noted|delete from idempotency_record|^set client_encoding/i

function statementOf([query, given]: unknown[]): SentStatement {
  const { text, name, values } =
    typeof query === 'string' ? { text: query } : (query as Partial<SentStatement>)
  return { name, text: String(text ?? ''), values: values ?? (Array.isArray(given) ? given : []) }
}

/**
 * The statements of `work` and of the requests that begin meanwhile; with `anywhere`, those of the process whose text
 * matches it. Inside a transaction they are visible on PostgreSQL only.
 */
export async function statementsOf(
  database: Database,
  work: () => Promise<unknown>,
  anywhere?: RegExp,
): Promise<SentStatement[]> {
  const client = (embeddedIn(database) ?? pg.Client.prototype) as unknown as Client
  const inherited = !Object.hasOwn(client, 'query')
  const { query } = client
  const sent: SentStatement[] = []
  client.query = function (...args) {
    const statement = statementOf(args)
    const counts = anywhere
      ? anywhere.test(statement.text)
      : recording.getStore() === sent && !NOT_OF_THE_WORK.test(statement.text)
    if (counts) sent.push(statement)
    return query.apply(this, args)
  }
  const outer = current
  current = sent
  try {
    await recording.run(sent, work)
    return sent
  } finally {
    current = outer
    if (inherited) Reflect.deleteProperty(client, 'query')
    else client.query = query
  }
}

/** The number of these statements. */
export const countStatements = async (...args: Parameters<typeof statementsOf>): Promise<number> =>
  (await statementsOf(...args)).length
