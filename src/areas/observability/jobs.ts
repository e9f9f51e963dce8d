/** The jobs of observability. */
import { retentionJob } from '../../jobs/retention.ts'
import { RETENTION_DAYS } from '../callbacks/index.ts'

// Contract silent: calls to other systems are kept for as long as callbacks.
/** Deletes the calls to other systems that are no longer kept. */
export const deleteOldUpstreamCalls = retentionJob({
  name: 'observability.delete_old_calls',
  table: 'upstream_call',
  time: 'at',
  days: RETENTION_DAYS,
})
