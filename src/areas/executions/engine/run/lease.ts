/** The lease of a run: the one attempt of a job that may write for it. If its worker is lost, another one takes the lease over. */
import { scoped, sql } from '../../../../db/db.ts'
import type { RunContext } from './run-lock.ts'

const TAKE_OVER = scoped(
  'executions.take_over_lease',
  `with held as (
     select r.sequence, r.holder from execution_run r
     where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.ended_at is null for update
   ), steps as (
     select (
       select count(*) from tool_call c
       where c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3 and c.ended_at is not null
     ) + (
       select count(*) from execution_turn t
       where t.tenant_id = $1 and t.environment = $2 and t.execution_id = $3
     ) as done
   ), lost as (
     update execution_work w
     set lost_attempts = case when w.steps_done = steps.done then w.lost_attempts + 1 else 1 end,
       steps_done = steps.done
     from held, steps
     where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3 and held.holder is not null
     returning w.lost_attempts
   )
   update execution_run r set holder = $4 from held
   where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.sequence = held.sequence
   returning coalesce((select lost_attempts from lost), 0) as lost_attempts`,
)

const RELEASE = scoped(
  'executions.release_lease',
  `update execution_run r set holder = null
   where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.ended_at is null and r.holder = $4`,
)

/** The attempt of this worker, as the run that it works on names it. */
export const leaseHolderOf = ({ request, taken }: RunContext): string => `${request.id} ${taken}`

/** Leaves the run to another worker, to which this one does not count as lost. */
export async function releaseLease(ctx: RunContext, execution_id: string): Promise<void> {
  await sql(ctx, RELEASE, [execution_id, leaseHolderOf(ctx)])
}

// Contract silent: a run that takes a step between two lost workers begins to count anew.
/** Give an execution up after this many lost workers: it may be what crashes them. */
const MAX_LOST = 3

/** The end of an execution that is given up. */
export const GIVEN_UP = {
  failure_kind: 'PLATFORM',
  error: `worker_lost: ${MAX_LOST} workers were lost while they did the same work.`,
} as const

/** Takes over the run of an execution at work; false if too many workers were lost by it. The execution is locked. */
export async function takeOverLease(ctx: RunContext, execution_id: string): Promise<boolean> {
  const [over] = await sql<{ lost_attempts: number }>(ctx, TAKE_OVER, [execution_id, leaseHolderOf(ctx)])
  return !over || over.lost_attempts < MAX_LOST
}
