/** `npm run rollups`: corrects the counts and sums that triggers keep, from the rows that they summarise. */
import { readDatabaseConfig } from '../config.ts'
import { rebuildRollups } from '../db/rollups.ts'
import { runCommand, withDatabase } from './command.ts'

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`)

await runCommand(() =>
  withDatabase(readDatabaseConfig(process.env), async (database) => {
    for (const { rollup, corrected } of await rebuildRollups(database)) {
      console.log(`${rollup}: ${corrected === 0 ? 'right' : `${rows(corrected)} corrected`}`)
    }
  }),
)
