/** Corrects rollups, the counts and sums that triggers keep, from the rows that they summarise. */
import type { Database } from './database.ts'
import { statement } from './sql.ts'

/** One table of counts or sums, and how many of its rows were wrong or missing. */
interface Rollup {
  rollup: string
  corrected: number
}

const REBUILD = statement('rollups.rebuild', 'select rollup, corrected from rebuild_rollups()')

/** Others write meanwhile: what they change is kept by what they do. */
export const rebuildRollups = (database: Pick<Database, 'migrating'>): Promise<Rollup[]> =>
  database.migrating(({ sql }) => sql.rows<Rollup>(REBUILD, []))
