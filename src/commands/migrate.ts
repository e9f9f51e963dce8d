/** `npm run migrate`: applies the migrations that the configured database lacks, and makes the tables of jobs. */

import { JOBS } from '../composition/jobs.ts'
import { readDatabaseConfig } from '../config.ts'
import { applyMigrations } from '../db/migrations/apply.ts'
import { standingOf } from '../db/migrations/standing.ts'
import { installJobs } from '../jobs/install.ts'
import { runCommand, withDatabase } from './command.ts'

await runCommand(async () => {
  const config = readDatabaseConfig(process.env)
  const names = await withDatabase(config, async (database) => {
    await database.requireSessions()
    const applied = await applyMigrations(database)
    if ((await standingOf(database.sql)) === 'later') return []
    await installJobs(database, config.ENVIRONMENT, JOBS)
    return applied
  })
  console.log(names.length === 0 ? 'Nothing to apply.' : `Applied:\n${names.join('\n')}`)
})
