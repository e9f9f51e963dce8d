/** The jobs of the audit log. */
import { retentionJob } from '../../jobs/retention.ts'
import { RETENTION_DAYS } from './rules.ts'

/** Deletes the tool calls that can no longer be read. */
export const deleteOldToolCalls = retentionJob({
  name: 'audit-log.delete_old_calls',
  table: 'audit_entry',
  time: 'occurred_at',
  days: RETENTION_DAYS.audit_log,
  insert_only: true,
})

/** Deletes the activities that can no longer be read. */
export const deleteOldActivities = retentionJob({
  name: 'audit-log.delete_old_activities',
  table: 'activity_entry',
  time: 'occurred_at',
  days: RETENTION_DAYS.activity_log,
  insert_only: true,
})
