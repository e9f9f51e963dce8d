/** What either database offers, below Prisma. */

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

export interface Driver {
  kind: DatabaseKind
  load(): DatabaseLoad
  /** What Prisma is given. */
  adapter(): SqlDriverAdapterFactory
  sql: Sql
  /** Runs work that changes the schema: no time limit, and no other process does the same meanwhile. */
  migrating<Result>(work: (migrator: Migrator) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface Migrator {
  adapter: SqlMigrationAwareDriverAdapterFactory
  sql: Sql
}

type Adapter = Awaited<ReturnType<SqlMigrationAwareDriverAdapterFactory['connect']>>

/** A private method of both adapters: throws a database's error in the engine's words. */
export const fail = (adapter: Adapter, error: unknown): never =>
  (adapter as unknown as { onError(error: unknown): never }).onError(error)

/** The same factory, but `change` has had its adapters in hand. */
export const adapted = (
  factory: SqlMigrationAwareDriverAdapterFactory,
  change: (adapter: Adapter) => Partial<Adapter>,
): SqlMigrationAwareDriverAdapterFactory => ({
  provider: factory.provider,
  adapterName: factory.adapterName,
  connect: async () => {
    const adapter = await factory.connect()
    return Object.assign(adapter, change(adapter))
  },
  connectToShadowDb: () => factory.connectToShadowDb(),
})
