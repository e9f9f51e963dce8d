/** The embedded database: PostgreSQL in WebAssembly, in this process, for one process. */

import { createRequire } from 'node:module'
import { PGlite, type PGliteOptions, type Transaction } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { rethrow } from '../adapter-internals.ts'
import { parsers } from '../column-types.ts'
import { type DatabaseLoad, type Driver, withMethods } from '../driver.ts'
import { SESSION_SETTINGS } from '../session-settings.ts'
import type { Sql } from '../sql.ts'
import {
  beginDatabase,
  finishDatabase,
  fullDisk,
  hasDatabase,
  refuseOtherFiles,
  restrictPermissions,
} from './folder.ts'
import { lockDirectory } from './lock.ts'
import { createQuery, type Query, rowsBy } from './query.ts'
import { createStatementQueue } from './queue.ts'
import { startTransaction, transactions } from './transaction.ts'

const SETTINGS = [
  // The system caches the files anyway: the default of 128 MB would keep every page in memory a second time.
  '-c',
  'shared_buffers=8MB',
  // A table is analyzed while nothing else runs: from 3,000 of its rows, a tenth of the default.
  '-c',
  'default_statistics_target=10',
]

interface EmbeddedOptions extends Pick<PGliteOptions, 'fs' | 'loadDataDir'> {
  /** A data directory to begin from, if there is no database yet. */
  prepared?: (() => Promise<string | undefined>) | undefined
  /** A new database does not count as complete until `finishDatabase` says so. */
  unfinished?: boolean | undefined
  /** A statement may wait for half of it in the queue. */
  timeout_ms?: number
}

/** Opens the database in a directory, or in `memory`; `loadDataDir` fills a new one with a dump, and `fs` has its files. */
export const openEmbedded = async (
  data_dir: string,
  { prepared, unfinished = false, timeout_ms = 5000, ...options }: EmbeddedOptions = {},
): Promise<Driver & { pglite: PGlite }> => {
  // Nothing is written to a folder of other files.
  if (data_dir !== 'memory') refuseOtherFiles(data_dir)
  const held = data_dir === 'memory' ? null : await lockDirectory(data_dir)
  try {
    const pglite = held
      ? await openDirectory(held.directory, options, { prepared, unfinished })
      : await create('memory://', options)
    await pglite.exec(SESSION_SETTINGS)
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
  { prepared, unfinished }: Pick<EmbeddedOptions, 'prepared' | 'unfinished'>,
): Promise<PGlite> => {
  // Those that came before the folder was locked would be removed.
  refuseOtherFiles(directory)
  const begins = !hasDatabase(directory)
  restrictPermissions(directory)
  if (begins) await beginDatabase(directory, await prepared?.())
  const pglite = await create(directory, options).catch((error: unknown) => {
    throw fullDisk(directory, error) ?? openError(directory, begins, error)
  })
  // Opening and closing it creates files that other users may read.
  restrictPermissions(directory)
  if (begins && !unfinished) await finishDatabase(directory)
  return pglite
}

const create = (where: string, options: PGliteOptions): Promise<PGlite> =>
  PGlite.create(where, {
    ...options,
    extensions: { pg_trgm },
    // Given with a statement, they would be copied at each, together with those of every type.
    parsers,
    startParams: [...PGlite.defaultStartParams, ...SETTINGS],
  })

const openError = (directory: string, begins: boolean, cause: unknown): Error => {
  const reason = String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0]
  const message = begins
    ? `A database cannot be made in ${directory} (${reason}).`
    : `The database in ${directory} cannot be opened and may be damaged (${reason}). Put the folder back from a ` +
      'copy, or set DATA_DIR to another folder, in which a new database is made.'
  return new Error(message, { cause })
}

/**
 * Queues statements and transactions. A statement inside a transaction does not queue again. A transaction whose rollback
 * failed, as on a full disk, is rolled back before the next turn: no statement joins it.
 */
const queueStatements = (pglite: PGlite, timeout_ms: number): (() => DatabaseLoad) => {
  const turns = createStatementQueue(timeout_ms / 2)
  const query = createQuery(pglite)
  const { exec, transaction } = PGlite.prototype
  const endFailed = async (): Promise<void> => {
    await exec.call(pglite, 'rollback')
    // PGlite believes that it is in a transaction until one succeeds.
    await transaction.call(pglite, async () => {})
  }
  const run = <Result>(work: () => Promise<Result>): Promise<Result> =>
    turns.run(() => (pglite.isInTransaction() ? endFailed().then(work) : work()))
  const queued: Pick<PGlite, 'query' | 'exec' | 'transaction'> = {
    query: (...args) => run(() => query(...args)),
    exec: (...args) => run(() => exec.apply(pglite, args)),
    transaction: (work) =>
      run(() => transaction.call(pglite, (open) => work(withQuery(open, query))) as ReturnType<typeof work>),
  }
  Object.assign(pglite, queued)
  return turns.load
}

const withQuery = (open: Transaction, query: Query): Transaction =>
  Object.assign(open, {
    query: async (...args: Parameters<Query>) => {
      if (open.closed) throw new Error('The transaction has ended')
      return await query(...args)
    },
  })

const driverOn = (pglite: PGlite, load: () => DatabaseLoad): Omit<Driver, 'close'> & { pglite: PGlite } => {
  const adapter = () => prismaAdapter(pglite)
  const sql: Sql = { rows: rowsBy((text, values, options) => (pglite.query as Query)(text, values, options)) }
  return {
    kind: 'embedded',
    source: { pglite },
    pglite,
    load,
    adapter,
    sql,
    transaction: transactions(pglite),
    migrating: (work) => work({ adapter: adapter(), sql }),
    requireSessions: async () => {},
    listen(channel, { connected, notified }) {
      const listening = pglite.listen(channel, notified)
      listening.then(connected, () => {})
      return async () => {
        const stop = await listening.catch(() => null)
        if (!pglite.closed) await stop?.()
      }
    },
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
