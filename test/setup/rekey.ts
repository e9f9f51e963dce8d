/** The database of the tests that encrypt secrets anew: the secrets of every tenant, so that no other test has rows there. */
import type { Database } from '../../src/db/database.ts'
import { cloneDatabase } from './database.ts'

let shared: Promise<Database> | undefined

/** The worker's database for them, whose rows the tests remove before they store theirs. They do not close it. */
export const rekeyDatabase = (): Promise<Database> => {
  shared ??= cloneDatabase()
  return shared
}
