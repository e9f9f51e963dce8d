/** Corrects what the database keeps of its rows, from the rows: `npm run rollups`. */

import { readDatabaseConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { statement } from '../src/db/sql.ts'

/** One table of counts or sums, and how many of its rows were wrong or missing. */
interface Rollup {
  rollup: string
  corrected: number
}

const REBUILD = statement('rollups.rebuild', 'select rollup, corrected from rebuild_rollups()')

/** Others write meanwhile: what they change is kept by what they do. */
export const rebuildRollups = (database: Pick<Database, 'migrating'>): Promise<Rollup[]> =>
  database.migrating(({ sql }) => sql.rows<Rollup>(REBUILD, []))

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`)

async function main(): Promise<void> {
  const { DATABASE_URL, DATA_DIR } = readDatabaseConfig(process.env)
  const database = await openDatabase({
    database_url: DATABASE_URL,
    data_dir: DATA_DIR,
    pool_size: 1,
    timeout_ms: 10_000,
  })
  try {
    for (const { rollup, corrected } of await rebuildRollups(database)) {
      console.log(`${rollup}: ${corrected === 0 ? 'right' : `${rows(corrected)} corrected`}`)
    }
  } finally {
    await database.close()
  }
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
