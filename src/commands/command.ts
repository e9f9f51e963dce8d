/** The frame of commands: their database connection and exit status. */
import type { DatabaseConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { standingOf } from '../db/migrations/standing.ts'

const TIMEOUT_MS = 60_000

/**
 * Runs `work` with a connection to the configured database, and closes it afterwards. Throws if the database is of a
 * later release, on which this one may not serve.
 */
export async function withDatabase<Result>(
  { DATABASE_URL, DATA_DIR }: DatabaseConfig,
  work: (database: Database) => Promise<Result>,
  application_name = 'command',
): Promise<Result> {
  const database = await openDatabase({
    database_url: DATABASE_URL,
    data_dir: DATA_DIR,
    pool_size: 1,
    timeout_ms: TIMEOUT_MS,
    application_name,
  })
  try {
    await standingOf(database.sql)
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Runs the command of this process. A failure is printed on stderr, and the process exits with 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
