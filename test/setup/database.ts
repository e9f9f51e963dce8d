/** Databases for tests, cloned from a migrated template. */

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, databaseOn, openDatabase } from '../../src/db/database.ts'
import { openEmbedded } from '../../src/db/embedded/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { DumpFiles } from './dump-files.ts'
import type { Template } from './global.ts'

const TIMEOUT_MS = 15_000
/** Of the embedded database, on which a test's statements may wait for a whole demo. */
const PATIENCE_MS = 240_000

let shared: Promise<Database> | undefined

/** The worker's migrated database. Tests do not close it: it is dropped when the run ends. */
export const testDatabase = (): Promise<Database> => {
  shared ??= cloneDatabase()
  return shared
}

/** A new migrated database, which the caller closes. */
export const cloneDatabase = async (): Promise<Database> => {
  const template: Template = inject('template')
  const start = performance.now()
  const database =
    template.server === null
      ? await openDump(await readFile(template.file))
      : await openTestDatabase(await clonedUrl(template))
  performance.measure('clone', { start })
  return database
}

/** The address of a new clone, of the template or of a clone that nobody is connected to; null if it is embedded. */
export const cloneUrl = async (clone?: string): Promise<string | null> => {
  const template: Template = inject('template')
  if (template.server === null) return null
  return await clonedUrl(template, clone && new URL(clone).pathname.slice(1))
}

/** A new folder with a closed embedded database. */
export const cloneFolder = async (data_dir: string): Promise<void> => {
  const template: Template = inject('template')
  if (template.server !== null) throw new Error('The databases of this run are on a server')
  const driver = await openEmbedded(data_dir, { loadDataDir: new Blob([await readFile(template.file)]) })
  await driver.close()
}

export const openTestDatabase = (database_url: string): Promise<Database> =>
  openDatabase({ database_url, data_dir: 'memory', pool_size: 5, timeout_ms: TIMEOUT_MS })

/** The empty database at the address, with every migration. */
export const migratedDatabase = async (database_url: string): Promise<Database> => {
  const database = await openTestDatabase(database_url)
  await applyMigrations(database)
  return database
}

/** A new embedded database from a dump. */
export const openDump = async (dump: Buffer<ArrayBuffer>): Promise<Database> => {
  const driver = await openEmbedded('memory', { fs: new DumpFiles(dump), timeout_ms: PATIENCE_MS })
  const database = databaseOn(driver, TIMEOUT_MS)
  embedded.set(database, driver.pglite)
  return database
}

const embedded = new WeakMap<Database, PGlite>()

/** The dump of an embedded clone, after a checkpoint: a database that recovers from its log skips numbers of sequences. */
export const dumpOf = async (database: Database): Promise<Buffer> => {
  const pglite = embedded.get(database)
  if (!pglite) throw new Error('Only an embedded database is dumped')
  await pglite.exec('checkpoint')
  const dump = await pglite.dumpDataDir('none')
  return Buffer.from(await dump.arrayBuffer())
}

/** The PGlite instance of an embedded clone. */
export const embeddedIn = (database: Database): PGlite | undefined => embedded.get(database)

/** The address of a new database without tables; null if the database is embedded. */
export const emptyUrl = async (): Promise<string | null> => {
  const template: Template = inject('template')
  return template.server === null ? null : clonedUrl(template, 'template1')
}

const clonedUrl = async (
  { server, name }: { server: string; name: string },
  template = name,
): Promise<string> => {
  const clone = `${name}_w${process.env.VITEST_POOL_ID}_${randomUUID().slice(0, 8)}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database "${clone}" template "${template}"`)
  await client.end()
  const url = new URL(server)
  url.pathname = clone
  // No test loses the server's memory: none needs to wait for its disk.
  url.searchParams.set('options', '-c synchronous_commit=off')
  return url.href
}
