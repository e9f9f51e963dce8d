/** The jobs of the audit log. */
import { statement } from '../../db/sql.ts'
import { asRetention, BATCH, hourly, inBatches, retentionJob } from '../../jobs/retention.ts'
import { dayOf } from './chain/chain.ts'
import { keptFrom, RETENTION_DAYS } from './rules.ts'

export { anchorDays } from './chain/anchor.ts'
export { closeChains } from './chain/close.ts'

const DELETE = statement(
  'audit_log.delete_old_calls',
  `delete from audit_entry r using (
     select e.tenant_id, e.environment, e.id from audit_day d
       join audit_entry e on e.tenant_id = d.tenant_id and e.environment = d.environment and e.chain_day = d.day
     where d.environment = $2 and d.day < $1::date and d.deleted_at is null limit ${BATCH}
   ) old
   where (r.tenant_id, r.environment, r.id) = (old.tenant_id, old.environment, old.id)
   returning 1 as deleted`,
)

const CHECKPOINT = statement(
  'audit_log.checkpoint',
  `update audit_day d set deleted_at = $3::timestamptz
   where d.environment = $2 and d.day < $1::date and d.deleted_at is null and not exists (
     select from audit_entry e
     where e.tenant_id = d.tenant_id and e.environment = d.environment and e.chain_day = d.day)`,
)

/**
 * Deletes the tool calls of the days of which none can be read any more. What is left of a day is its end, the checkpoint
 * from which the next day begins.
 */
export const deleteOldToolCalls = hourly('audit-log.delete_old_calls', async (ctx) => {
  const { database, environment } = ctx.services
  const values = [dayOf(keptFrom('audit_log', ctx.now)), environment]
  await inBatches(
    ctx,
    BATCH,
    async () => (await asRetention(database, (sql) => sql.rows(DELETE, values))).length,
  )
  await asRetention(database, (sql) => sql.rows(CHECKPOINT, [...values, ctx.now]))
})

/** Deletes the activities that can no longer be read. */
export const deleteOldActivities = retentionJob({
  name: 'audit-log.delete_old_activities',
  table: 'activity_entry',
  time: 'occurred_at',
  days: RETENTION_DAYS.activity_log,
  insert_only: true,
})
