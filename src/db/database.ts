/** The database of the process: PostgreSQL if there is a DATABASE_URL, otherwise the embedded database. */
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { Disk } from './disk.ts'
import type { DatabaseKind, DatabaseLoad, DatabaseSource, Driver } from './driver.ts'
import type { PrismaClient } from './generated/client/client.ts'
import { type Sql, statement } from './sql.ts'

export interface Database {
  kind: DatabaseKind
  source: DatabaseSource
  /** Loaded when it is first used: a process that runs only named statements never loads it. */
  readonly prisma: PrismaClient
  sql: Sql
  /** One transaction. Calls use `inTransaction`, which narrows it to the caller. */
  transaction: Driver['transaction']
  /** Rejects when the database does not answer. */
  ping(): Promise<void>
  disk: Disk
  /** Throws if its connections are no sessions, as behind some poolers. */
  requireSessions: Driver['requireSessions']
  load(): DatabaseLoad
  listen: Driver['listen']
  close(): Promise<void>
  /** The connection that migrations are applied through. */
  migrating: Driver['migrating']
}

export interface DatabaseOptions {
  database_url: string | undefined
  /** The folder of the embedded database; `memory` is gone with the process. */
  data_dir: string
  /** A data directory that a new embedded database begins from. */
  prepared?: (() => Promise<string | undefined>) | undefined
  /** A new embedded database does not count as complete until `finishDatabase` says so. */
  unfinished?: boolean
  pool_size: number
  /** Milliseconds that a statement may take; a connection is given a little less. */
  timeout_ms: number
  application_name?: string
}

const PING = statement('ping', 'select 1 as alive')

/** Opens the database. `applyMigrations` migrates it. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> =>
  databaseOn(await openDriver(options), options.timeout_ms)

const openDriver = async (options: DatabaseOptions): Promise<Driver> => {
  const { database_url, data_dir, prepared, unfinished, ...limits } = options
  if (database_url === undefined) {
    // V8's optimizing compiler would take 500 MB for PostgreSQL; the baseline compiler is enough.
    for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
    const { openEmbedded } = await import('./embedded/database.ts')
    return openEmbedded(data_dir, { prepared, unfinished, timeout_ms: limits.timeout_ms })
  }
  const { openPostgresql } = await import('./postgresql/database.ts')
  return openPostgresql({ application_name: 'public-api', ...limits, database_url })
}

/** A driver with Prisma on it. */
export const databaseOn = (driver: Driver, timeout_ms: number): Database => {
  let prisma: PrismaClient | undefined
  const disk = new Disk()
  const sql: Sql = { rows: (...asked) => disk.noting(driver.sql.rows(...asked)) }
  return {
    disk,
    kind: driver.kind,
    source: driver.source,
    get prisma() {
      prisma ??= prismaOn(driver, timeout_ms)
      return prisma
    },
    sql,
    transaction: (timeout_ms, work) => disk.noting(driver.transaction(timeout_ms, work)),
    ping: async () => {
      await driver.sql.rows(PING, [])
    },
    requireSessions: driver.requireSessions,
    load: driver.load,
    listen: driver.listen,
    close: async () => {
      await prisma?.$disconnect()
      await driver.close()
    },
    migrating: driver.migrating,
  }
}

const require = createRequire(import.meta.url)

const generated = () =>
  require('./generated/client/client.ts') as typeof import('./generated/client/client.ts')

/** null of a column of JSON, for Prisma, in which null is a value of JSON. */
export const dbNull = () => generated().Prisma.DbNull

const prismaOn = (driver: Driver, timeout_ms: number): PrismaClient => {
  const { PrismaClient } = generated()
  return new PrismaClient({
    adapter: driver.adapter(),
    errorFormat: 'minimal',
    transactionOptions: { maxWait: timeout_ms, timeout: timeout_ms },
  })
}
