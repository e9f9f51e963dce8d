/** The jobs of scripts and their runs. */
import { statement } from '../../db/sql.ts'
import { tenantJob } from '../../jobs/job.ts'
import { hourly, inBatches, retentionJob } from '../../jobs/retention.ts'
import { KEPT_DAYS } from '../../lib/kept-window.ts'
import { daysBefore } from '../../lib/time.ts'
import { WORK } from './runs/declared.ts'
import { giveUp, RETRIES, workOn } from './runs/work.ts'

/** Sends a run to the RMM, and follows it to its end. */
export const workOnRun = tenantJob({
  ...WORK,
  transaction: false,
  waits: true,
  retries: RETRIES,
  retry_delay_seconds: 2,
  timeout_seconds: 120,
  concurrency: 50,
  concurrency_of_tenant: 20,
  handler: workOn,
  onGivenUp: giveUp,
})

/** Deletes the runs that are no longer kept. */
export const deleteOldRuns = retentionJob({
  name: 'rmm-scripts.delete_old_runs',
  table: 'rmm_script_run',
  time: 'created_at',
  days: KEPT_DAYS,
})

/** As the results of tool calls, which have the same text. */
const OUTPUT_DAYS = 30

/** The runs of one statement: each may have 128 KiB. */
const BATCH = 500

const CLEAR_OUTPUT = statement(
  'rmm_scripts.clear_old_output',
  `update rmm_script_run r set stdout = null, stderr = null, updated_at = $2::timestamptz
   from (
     select tenant_id, environment, id from rmm_script_run
     where environment = $3 and finished_at < $1::timestamptz and (stdout is not null or stderr is not null)
     order by finished_at limit ${BATCH} for update skip locked
   ) old
   where (r.tenant_id, r.environment, r.id) = (old.tenant_id, old.environment, old.id)
   returning 1 as cleared`,
)

/** Forgets what scripts wrote, once it is no longer kept. */
export const clearOldOutput = hourly('rmm-scripts.clear_old_output', async (ctx) => {
  const { database, environment } = ctx.services
  const values = [daysBefore(ctx.now, OUTPUT_DAYS), ctx.now, environment]
  await inBatches(ctx, BATCH, async () => (await database.sql.rows(CLEAR_OUTPUT, values)).length)
})
