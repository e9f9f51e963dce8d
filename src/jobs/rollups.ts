/** The jobs that check and merge rollups, the counts and sums that triggers keep. */
import { foldRollups, rebuildRollups } from '../db/rollups.ts'
import { NO_PAYLOAD, systemJob } from './job.ts'

/** Compares each rollup with its rows and corrects it. A correction means a bug, and is logged as an error. */
export const checkRollups = systemJob({
  name: 'rollups.check',
  schedule: '17 3 * * *',
  payload: NO_PAYLOAD,
  timeout_seconds: 3600,
  transaction: false,
  async handler({ services, log }) {
    for (const { rollup, corrected } of await rebuildRollups(services.database)) {
      if (corrected > 0) log.error({ rollup, corrected }, 'a rollup was wrong')
    }
  },
})

/** Merges the shards of rollups that concurrent writers have left behind. */
export const foldRollupShards = systemJob({
  name: 'rollups.fold',
  schedule: '17 * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: ({ services }) => foldRollups(services.database.sql),
})
