/** The jobs of callbacks. */
import { retentionJob } from '../../jobs/retention.ts'
import { RETENTION_DAYS } from './rules.ts'

/** Deletes the callbacks that are no longer kept, with their matches. */
export const deleteOldCallbacks = retentionJob({
  name: 'callbacks.delete_old',
  table: 'callback',
  time: 'received_at',
  days: RETENTION_DAYS,
})
