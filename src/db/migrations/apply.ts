/** Applies the migrations, and the functions of rollups, that a database lacks. */

import { createHash } from 'node:crypto'
import { cachedFor } from '../../lib/cached-for.ts'
import type { Database } from '../database.ts'
import { type Migrator, withMethods } from '../driver.ts'
import { type Sql, statement } from '../sql.ts'
import { migrationList, readScripts, type SchemaScripts, type Script } from './files.ts'
import { applyFunctions, outdatedFunctions, withFunctions } from './functions.ts'
import { recordingCompletion, resolveInterrupted } from './resolve.ts'

/** Applies what is missing, and returns its names. Rejects when a migration fails, and at every later call. */
export const applyMigrations = async (
  database: Pick<Database, 'sql' | 'migrating'>,
  folder?: string,
): Promise<string[]> => {
  const scripts = await readScripts(folder)
  if (await isCurrent(database.sql, scripts)) return []
  return database.migrating(async (migrator) => {
    await resolveInterrupted(migrator.sql)
    const migrations = await applyMissing(migrator, scripts)
    const outdated = await outdatedFunctions(migrator.sql, scripts.functions)
    return [...migrations, ...(await applyFunctions(migrator.adapter, outdated))]
  })
}

const applyMissing = async (
  { adapter }: Migrator,
  { migrations, functions }: SchemaScripts,
): Promise<string[]> => {
  const included = new Map(migrations.map(({ script }) => [script, withFunctions(script, functions)]))
  const { filters, openEngine } = await import('./engine.ts')
  const engine = await openEngine(
    withMethods(adapter, (connection) => {
      const execute = connection.executeScript.bind(connection)
      return {
        executeScript: (script) => execute(recordingCompletion(script, included.get(script))),
      }
    }),
  )
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters,
    })
    return appliedMigrationNames
  } finally {
    engine.free()
  }
}

/** A check that the database has every migration and function. It asks at most once a second, until that is so. */
export const migrationCheck = (sql: Sql): (() => Promise<boolean>) => {
  let current = false
  const ask = cachedFor(1000, async () => {
    current = await isCurrent(sql, await readScripts())
    return current
  })
  return async () => current || ask()
}

const isCurrent = async (sql: Sql, { migrations, functions }: SchemaScripts): Promise<boolean> =>
  (await hasMigrations(sql, migrations)) && (await outdatedFunctions(sql, functions)).length === 0

const HAS_RECORDS = statement(
  'migrations.exist',
  `select to_regclass('_prisma_migrations') is not null as exist`,
)
const RECORDS = statement(
  'migrations.records',
  `select migration_name as name, checksum, finished_at is null as failed
   from _prisma_migrations where rolled_back_at is null`,
)

/** True if the engine would find nothing to apply and nothing to refuse. */
const hasMigrations = async (sql: Sql, migrations: Script[]): Promise<boolean> => {
  const [records] = await sql.rows<{ exist: boolean }>(HAS_RECORDS, [])
  if (!records?.exist) return false
  const applied = await sql.rows<{ name: string; checksum: string; failed: boolean }>(RECORDS, [])
  if (applied.some(({ failed }) => failed)) return false
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  return migrations.every(({ name, script }) => checksums.get(name) === checksumOf(script))
}

const checksumOf = (script: string) => createHash('sha256').update(script).digest('hex')
