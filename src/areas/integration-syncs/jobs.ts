/** The jobs of syncs. */
import { statement } from '../../db/sql.ts'
import { NO_PAYLOAD, systemJob, tenantJob } from '../../jobs/job.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { READ_PAGE } from './declared.ts'
import { STALLED_MINUTES } from './rules.ts'
import { giveUpSync, RETRIES, runPage } from './run.ts'
import { beginDueSyncs } from './scheduled.ts'

export const readPageOfSync = tenantJob({
  ...READ_PAGE,
  transaction: false,
  retries: RETRIES,
  retry_delay_seconds: 4,
  // A page of links asks a model.
  timeout_seconds: 300,
  concurrency: 10,
  waits: true,
  handler: runPage,
  onGivenUp: giveUpSync,
})

export const beginSyncs = systemJob({
  name: 'integrations.begin_syncs',
  schedule: '* * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: (ctx) => beginDueSyncs(ctx),
})

const FAIL_STALLED = statement(
  'integration_syncs.fail_stalled',
  `with failed as (
     update integration_sync s set status = 'FAILED', updated_at = $2::timestamptz, finished_at = $2::timestamptz,
       error = 'The sync did not go on for ${STALLED_MINUTES} minutes.'
     where s.environment = $1 and s.status in ('QUEUED', 'RUNNING')
       and s.updated_at < $2::timestamptz - interval '${STALLED_MINUTES} minutes'
     returning s.tenant_id, s.environment, s.name
   )
   update integration_connection c set last_sync_status = 'FAILED' from failed f
   where c.tenant_id = f.tenant_id and c.environment = f.environment and c.name = f.name`,
)

/** Ends the syncs that do not go on. */
export const failStalledSyncs = systemJob({
  name: 'integrations.fail_stalled_syncs',
  schedule: '* * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: async ({ services, now }) => {
    await services.database.sql.rows(FAIL_STALLED, [services.environment, now])
  },
})

export const deleteOldSyncs = retentionJob({
  name: 'integrations.delete_old_syncs',
  table: 'integration_sync',
  time: 'created_at',
  days: 90,
})
