import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The driver, the queue and what is stored; every operation once; a journey of each area; processes that share a server. */
const ALWAYS = [
  'test/{database,jobs,rollups}/**/*.test.ts',
  'test/{isolation,published}.test.ts',
  'test/journeys/{company,customer-links,dispatch,due,escalation,feedback,followed,inbox,models,psa-events}.test.ts',
  'test/journeys/{rmm-scripts,run-now,skills,supervised}.test.ts',
  'test/process/{kill,migrations}.test.ts',
]

/** Files about the embedded database, about statements that both databases are sent, or with a PostgreSQL of their own. */
const NEVER = [
  'test/database/{connection-shares,embedded-directory,embedded-query,errors,foreign-tables,live-crash,single-rows,statistics}.test.ts',
  'test/process/configuration.test.ts',
]

/** Names in the files that have a test for PostgreSQL alone, or make databases on the server. */
const NEEDS_SERVER = /DATABASE_URL|onPostgresql|cloneUrl|emptyUrl|setup\/postgresql|setup\/at-once/

/** A test of changes that are made at once. */
const RACE = /\b(?:describe|it|test)\b.*\bat once\b/

function needsPostgresql(): string[] {
  const found = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return NEEDS_SERVER.test(text) || (file.startsWith('test/areas/') && RACE.test(text))
  })
  return [...found, ...ALWAYS]
}

export default defineConfig({
  ...config,
  test: { ...config.test, include: needsPostgresql(), exclude: NEVER },
})
