/** Resumes an execution whose request to technicians was settled. */
import { scoped, sql } from '../../../db/db.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { newId } from '../../../lib/ids.ts'
import { nextStatus } from '../rules/life.ts'
import { RUN_EXECUTION } from './declared.ts'
import { recordEvents } from './events.ts'
import { lockExecution } from './move.ts'
import type { EngineContext } from './slots.ts'

// Contract silent: a resumed execution does not wait for a slot again: a technician's decision is acted on at once.
const RESUME = scoped(
  'executions.resume',
  `with resumed as (
     update execution e set status = 'RUNNING', updated_at = $5::timestamptz, run_count = e.run_count + 1
     where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3
     returning e.run_count, e.supervised
   ), placed as (
     update execution_work w set slot = 'HELD', lost_attempts = 0
     where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3
   )
   insert into execution_run (tenant_id, environment, execution_id, sequence, temporal_run_id, status, supervised,
     resumed_by_til_request_id, started_at)
   select $1, $2, $3, run_count, $4, 'RUNNING', supervised, $6, $5::timestamptz from resumed`,
)

// Contract silent: an execution that another engine began waits on, until somebody cancels it: none of its work is known.
const WORK = scoped(
  'executions.has_work',
  `select 1 as work from execution_work w
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3`,
)

interface Resumption {
  execution_id: string
  /** null: no request was settled. */
  til_request_id: string | null
}

/**
 * Starts the next run of an execution that waits for technicians, in the caller's transaction, and returns the run's id;
 * null if the execution does not wait, or not here. The request is settled already, or is settled in the same transaction.
 */
export async function resumeExecution(
  ctx: EngineContext,
  { execution_id, til_request_id }: Resumption,
): Promise<string | null> {
  const execution = await lockExecution(ctx, execution_id)
  if (!execution || nextStatus(execution.status, 'RESUME') === null) return null
  const [work] = await sql(ctx, WORK, [execution_id])
  if (!work) return null
  const temporal_run_id = newId('run')
  await sql(ctx, RESUME, [execution_id, temporal_run_id, ctx.now, til_request_id])
  await recordEvents(ctx, { execution_id, temporal_run_id }, [
    { kind: 'STATUS_CHANGED', text: 'The work goes on.', til_request_id },
  ])
  await enqueue(ctx, RUN_EXECUTION, { execution_id })
  return temporal_run_id
}
