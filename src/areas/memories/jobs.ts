/** The jobs of memories. */
import { retentionJob } from '../../jobs/retention.ts'
import { RESTORABLE_DAYS } from './rules.ts'

/** Deletes the memories that can no longer be restored. */
export const purgeDeletedMemories = retentionJob({
  name: 'memories.purge',
  table: 'agent_memory',
  time: 'deleted_at',
  days: RESTORABLE_DAYS,
  where: "state = 'DELETED'",
})
