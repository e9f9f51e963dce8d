/** The jobs of tools. */
import { retentionJob } from '../jobs/retention.ts'

/** Deletes the long results of a month ago, as the audit log forgets their calls. */
export const deleteOldResults = retentionJob({
  name: 'tools.delete_old_results',
  table: 'tool_result',
  key: ['call_id'],
  time: 'created_at',
  days: 30,
})
