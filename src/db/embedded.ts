/** The embedded database: PostgreSQL in WebAssembly, in this process, for one process. */

import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { parsers } from './column-types.ts'
import { type DatabaseLoad, type Driver, rethrow, withMethods } from './driver.ts'
import { beginDatabase, finishDatabase, hasDatabase, restrictPermissions } from './embedded-folder.ts'
import { lockDirectory } from './embedded-lock.ts'
import { createStatementQueue } from './embedded-queue.ts'
import { startTransaction, transactions } from './embedded-transaction.ts'
import type { Sql, Statement } from './sql.ts'

// V8 compiles PostgreSQL to machine code as it goes, and would do it twice: quickly, and then well, which takes 500 MB.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)

/** Of 128 MB, the default, every page that is read once would stay in memory; the system keeps the files there anyway. */
const SETTINGS = ['-c', 'shared_buffers=8MB']

interface EmbeddedOptions extends Pick<PGliteOptions, 'loadDataDir'> {
  /** A data directory to begin from, where there is no database yet. */
  prepared?: (() => Promise<string | undefined>) | undefined
  /** Half of it is the time for which a statement may wait for its turn. */
  timeout_ms?: number
}

/** A directory that survives the process, or `memory`; `loadDataDir` fills a new one with a dump. */
export const openEmbedded = async (
  data_dir: string,
  { prepared, timeout_ms = 5000, ...options }: EmbeddedOptions = {},
): Promise<Driver & { pglite: PGlite }> => {
  const held = data_dir === 'memory' ? null : await lockDirectory(data_dir)
  try {
    const pglite = held
      ? await openDirectory(held.directory, options, prepared)
      : await create('memory://', options)
    // The adapter writes times without a zone and reads every zone as UTC.
    await pglite.exec(`set time zone 'UTC'`)
    return {
      ...driverOn(pglite, queueStatements(pglite, timeout_ms)),
      close: async () => {
        try {
          if (!pglite.closed) await pglite.close()
          if (held) restrictPermissions(held.directory)
        } finally {
          await held?.release()
        }
      },
    }
  } catch (error) {
    await held?.release()
    throw error
  }
}

const openDirectory = async (
  directory: string,
  options: PGliteOptions,
  prepared: EmbeddedOptions['prepared'],
): Promise<PGlite> => {
  const begins = !hasDatabase(directory)
  restrictPermissions(directory)
  if (begins) await beginDatabase(directory, await prepared?.())
  const pglite = await create(directory, options).catch((error: unknown) => {
    throw openError(directory, begins, error)
  })
  // Opening and closing it makes files that PostgreSQL leaves open to others.
  restrictPermissions(directory)
  if (begins) await finishDatabase(directory)
  return pglite
}

const create = (where: string, options: PGliteOptions): Promise<PGlite> =>
  PGlite.create(where, {
    ...options,
    extensions: { pg_trgm },
    startParams: [...PGlite.defaultStartParams, ...SETTINGS],
  })

const openError = (directory: string, begins: boolean, cause: unknown): Error => {
  const reason = String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0]
  const message = begins
    ? `A database cannot be made in ${directory} (${reason}). Is there space left?`
    : `The database in ${directory} cannot be opened and may be damaged (${reason}). Put the folder back from a ` +
      'copy, or set DATA_DIR to another folder, where a new database is made.'
  return new Error(message, { cause })
}

/** A transaction is one turn: what is done in it waits for nobody. */
const queueStatements = (pglite: PGlite, timeout_ms: number): (() => DatabaseLoad) => {
  const turns = createStatementQueue(timeout_ms / 2)
  for (const method of ['query', 'exec', 'transaction'] as const) {
    const run = PGlite.prototype[method] as (...args: unknown[]) => Promise<unknown>
    Object.assign(pglite, { [method]: (...args: unknown[]) => turns.run(() => run.apply(pglite, args)) })
  }
  return turns.load
}

const driverOn = (pglite: PGlite, load: () => DatabaseLoad): Omit<Driver, 'close'> & { pglite: PGlite } => {
  const adapter = () => prismaAdapter(pglite)
  const sql: Sql = {
    rows: async <Row>({ text }: Statement, values: readonly unknown[]) =>
      (await pglite.query<Row>(text, [...values], { parsers })).rows,
  }
  return {
    kind: 'embedded',
    source: { pglite },
    pglite,
    load,
    adapter,
    sql,
    transaction: transactions(pglite),
    migrating: (work) => work({ adapter: adapter(), sql }),
  }
}

const require = createRequire(import.meta.url)

/** For Prisma and for migrations only. */
const adapterPackage = () => require('pglite-prisma-adapter') as typeof import('pglite-prisma-adapter')

/** The package's adapter waits for neither a script nor the outcome of a commit; this one does. */
const prismaAdapter = (pglite: PGlite) =>
  withMethods(new (adapterPackage().PrismaPGlite)(pglite), (adapter) => ({
    executeScript: async (script) => {
      await pglite.exec(script).catch((error: unknown) => rethrow(adapter, error))
    },
    startTransaction: () => startTransaction(pglite, adapter),
  }))
