/** Applies the migrations, and the functions of rollups, that a database lacks. */

import type { Database } from '../database.ts'
import { type Migrator, withMethods } from '../driver.ts'
import { migrationList, readScripts, type SchemaScripts } from './files.ts'
import { applyFunctions, compareFunctions, withFunctions } from './functions.ts'
import { recordingCompletion, resolveInterrupted } from './resolve.ts'
import { standingOf } from './standing.ts'

/**
 * Applies what is missing, and returns its names: nothing on the database of a later release. Rejects when a migration
 * fails, and at every later call, and if this release may not serve on the database.
 */
export const applyMigrations = async (
  database: Pick<Database, 'sql' | 'migrating'>,
  folder?: string,
): Promise<string[]> => {
  const scripts = await readScripts(folder)
  if ((await standingOf(database.sql, scripts)) !== 'behind') return []
  return database.migrating(async (migrator) => {
    // Another process may have migrated it meanwhile.
    if ((await standingOf(migrator.sql, scripts)) !== 'behind') return []
    await resolveInterrupted(migrator.sql)
    const migrations = await applyMissing(migrator, scripts)
    const { outdated } = await compareFunctions(migrator.sql, scripts.functions)
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
