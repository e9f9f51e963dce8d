/** `npm run migrate`: applies the migrations that the configured database lacks. */
import { readDatabaseConfig } from '../config.ts'
import { applyMigrations } from '../db/migrations/apply.ts'
import { runCommand, withDatabase } from './command.ts'

await runCommand(async () => {
  const names = await withDatabase(readDatabaseConfig(process.env), (database) => applyMigrations(database))
  console.log(names.length === 0 ? 'Nothing to apply.' : `Applied:\n${names.join('\n')}`)
})
