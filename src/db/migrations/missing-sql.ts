/** Compares the database that the migrations make with the Prisma schema. */
import { openDatabase } from '../database.ts'
import { applyMigrations } from './apply.ts'
import { filters, openEngine } from './engine.ts'
import { readDatamodels, SCHEMA_FOLDER } from './files.ts'

/** The SQL that the migrations lack, or null if they agree with the schema. */
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
