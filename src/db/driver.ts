/** The interface of a database driver, which PostgreSQL and the embedded database implement, below Prisma. */

import type { PGlite } from '@electric-sql/pglite'
import type {
  SqlDriverAdapterFactory,
  SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import type { Sql } from './sql.ts'

export type DatabaseKind = 'postgresql' | 'embedded'

/** The load on the connections. */
export interface DatabaseLoad {
  total: number
  idle: number
  /** Statements and transactions that wait for a connection. */
  waiting: number
}

/** The connection of one transaction. */
export interface Connection extends Sql {
  /** Prisma's transaction that begins inside `begin` joins the open one on this connection. */
  joinedBy<Result>(begin: () => Promise<Result>): Promise<Result>
  /** Sends the last statement together with COMMIT. The embedded database, which is nearby, has no use for it. */
  rowsAndCommit?: Sql['rows']
}

/** The database itself, for a library that brings its own driver. */
export type DatabaseSource = { url: string; query: QueryTexts } | { pglite: PGlite }

/** Sends statements of a text that has no values together. Returns the rows of all. */
type QueryTexts = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>

/** The calls to a listener of the notifications of the database. */
export interface Listener {
  /** It listens, for the first time or again: notifications from before may be lost. */
  connected(): void
  notified(payload: string): void
}

export interface Driver {
  kind: DatabaseKind
  source: DatabaseSource
  load(): DatabaseLoad
  /** The adapter factory that Prisma is given. */
  adapter(): SqlDriverAdapterFactory
  sql: Sql
  /** Runs `work` in one transaction: rolled back if it rejects, or takes longer than `timeout_ms`. */
  transaction<Result>(timeout_ms: number, work: (connection: Connection) => Promise<Result>): Promise<Result>
  /** Runs work that changes the schema: no time limit, and no other process does the same meanwhile. */
  migrating<Result>(work: (migrator: Migrator) => Promise<Result>): Promise<Result>
  /** Listens to notifications on the channel until the result is called, through every outage. */
  listen(channel: string, listener: Listener): () => Promise<void>
  /** Throws if connections are no sessions of the database. */
  requireSessions(): Promise<void>
  close(): Promise<void>
}

export interface Migrator {
  adapter: SqlMigrationAwareDriverAdapterFactory
  sql: Sql
}

export type Adapter = Awaited<ReturnType<SqlMigrationAwareDriverAdapterFactory['connect']>>

/** The error of a transaction that took too long. Its work goes on, and its statements fail. */
export const transactionTimeout = (): Error => new Error('The transaction timeout expired')

/** The factory with some methods of its adapters replaced. */
export const withMethods = (
  factory: SqlMigrationAwareDriverAdapterFactory,
  methods: (adapter: Adapter) => Partial<Adapter>,
): SqlMigrationAwareDriverAdapterFactory => ({
  provider: factory.provider,
  adapterName: factory.adapterName,
  connect: async () => {
    const adapter = await factory.connect()
    return Object.assign(adapter, methods(adapter))
  },
  connectToShadowDb: () => factory.connectToShadowDb(),
})
