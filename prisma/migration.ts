/** Writes the migration from what the others make to what the schema says: `npm run migration -- some_name`. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../src/db/database.ts'
import { filters, openEngine } from './engine.ts'
import { MIGRATIONS_FOLDER, readDatamodels, SCHEMA_FOLDER } from './folder.ts'
import { applyMigrations } from './migrate.ts'

/** The SQL that is missing, or null: migrations and schema agree. */
export const missingSql = async (): Promise<string | null> => {
  const database = await openDatabase({
    database_url: undefined,
    data_dir: 'memory',
    pool_size: 1,
    timeout_ms: 60_000,
  })
  try {
    await applyMigrations(database)
    const datamodels = await readDatamodels()
    const files = datamodels.map(([path, content]) => ({ path, content }))
    return await database.migrating(async ({ adapter }) => {
      const engine = await openEngine(adapter, datamodels)
      const { exitCode, stdout } = await engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: SCHEMA_FOLDER },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        filters,
      })
      engine.free()
      return exitCode === 2 ? stdout : null
    })
  } finally {
    await database.close()
  }
}

if (import.meta.main) {
  const name = process.argv[2]
  if (!name || !/^[a-z0-9_]+$/.test(name)) {
    console.error('A name is missing, in lower case: npm run migration -- company_links_remember_who_mapped')
    process.exit(1)
  }
  const sql = await missingSql()
  if (sql === null) console.log('Nothing to do: the migrations make what the schema says.')
  else {
    const date = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
    const folder = join(MIGRATIONS_FOLDER, `${date}_${name}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'migration.sql'), sql)
    console.log(`Wrote ${join(folder, 'migration.sql')}`)
  }
}
