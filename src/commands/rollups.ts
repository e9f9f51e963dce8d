/** `npm run rollups`: corrects the counts and sums that triggers keep, from the rows that they summarise. */
import { readDatabaseConfig } from '../config.ts'
import { isInUse } from '../db/embedded/lock.ts'
import { rebuildRollups } from '../db/rollups.ts'
import { runCommand, withDatabase } from './command.ts'

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`)

/** The service does the same, and an embedded database has no room for another process. */
function inUse(error: unknown): never {
  if (!isInUse(error)) throw error
  throw new Error(
    `${(error as Error).message}\nThe service that runs on it compares them itself, every day at 03:17 UTC, and logs ` +
      'what it corrects. To have it done now, stop the service, and run this again.',
  )
}

await runCommand(() =>
  withDatabase(readDatabaseConfig(process.env), async (database) => {
    for (const { rollup, corrected } of await rebuildRollups(database)) {
      console.log(`${rollup}: ${corrected === 0 ? 'right' : `${rows(corrected)} corrected`}`)
    }
  }).catch(inUse),
)
