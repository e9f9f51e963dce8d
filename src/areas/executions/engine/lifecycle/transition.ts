/** Changes the status of an execution: ends or pauses it with its run, and resumes it as a new run. */
import { type DatabaseContext, scoped, sql } from '../../../../db/db.ts'
import { enqueue } from '../../../../jobs/enqueue.ts'
import { newId } from '../../../../lib/ids.ts'
import type { Row } from '../../../../schema/models.ts'
import { isFinal, type LifeEvent, nextStatus, runStatusAt, type Status } from '../rules/transitions.ts'
import { closeCalls, IS_UNKNOWN } from '../run/close-calls.ts'
import { RUN_EXECUTION } from '../run/job.ts'
import { type EngineContext, grantSlots } from '../run/slots.ts'
import { type NewEvent, recordEvents } from '../run/timeline.ts'

type Execution = Row<'Execution'>

export type LockedExecution = Omit<Execution, 'search_text'>

const LOCK = scoped(
  'executions.lock',
  `select e.* from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3 for update of e`,
)

/** The execution, locked until the transaction ends; null if there is none. The slots are locked before it. */
export async function lockExecution(
  ctx: DatabaseContext,
  execution_id: string,
): Promise<LockedExecution | null> {
  const [execution] = await sql<LockedExecution>(ctx, LOCK, [execution_id])
  return execution ?? null
}

const TRANSITION = scoped(
  'executions.transition',
  `with ended as (
     update execution_run r set status = $6::text::execution_run_status, ended_at = $7::timestamptz
     where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.ended_at is null
     returning r.temporal_run_id, greatest(0, extract(epoch from $7::timestamptz - r.started_at)) as seconds
   ), released as (
     update execution_work w
     set slot = case when $8::boolean and exists (
       select from tool_call c
       where c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3 and ${IS_UNKNOWN}
     ) then 'SETTLING'::execution_slot end
     where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3
     returning w.slot
   )
   update execution e
   set status = $5::text::execution_status, updated_at = $7::timestamptz,
     finished_at = case when $8::boolean then $7::timestamptz end,
     seconds_spent = e.seconds_spent + coalesce((select seconds from ended), 0),
     resolution = coalesce($9::text::execution_resolution, e.resolution), hours_saved = coalesce($10, e.hours_saved),
     error = $11, failure_kind = $12::text::failure_kind,
     message_for_dashboard = coalesce($13, e.message_for_dashboard)
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3
     and e.status = $4::text::execution_status
   returning coalesce((select temporal_run_id from ended), (
     select r.temporal_run_id from execution_run r
     where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 order by r.sequence desc limit 1
   )) as temporal_run_id, exists (
     select from tool_call c
     where c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3
       and c.status in ('PROPOSED', 'WAITING', 'STARTED')
   ) as has_open_calls, coalesce((select slot = 'SETTLING' from released), false) as has_unknown_calls, exists (
     select from execution_work w
     where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3 and w.slot is null
   ) as has_left, exists (
     select from execution_work w
     where w.tenant_id = $1 and w.environment = $2 and w.slot = 'WAITING' and w.execution_id <> $3
   ) as others_wait`,
)

/** The outcome of an execution. A field that is absent stays as it is. */
export interface Outcome
  extends Partial<
    Pick<Execution, 'resolution' | 'error' | 'failure_kind' | 'message_for_dashboard'> & {
      hours_saved: number
    }
  > {}

interface Moved {
  /** null: it was never taken up. */
  temporal_run_id: string | null
  has_open_calls: boolean
  /** It is not known of some of them whether they were made. */
  has_unknown_calls: boolean
  /** It waited for the result of a call, and no worker had it. */
  has_left: boolean
  /** Other executions of the tenant wait for a slot. */
  others_wait: boolean
}

interface EndOptions {
  /** The events before the end. */
  events?: readonly NewEvent[]
  /** Nothing is read or written after it in the transaction. */
  last?: boolean
}

/** The event is refused at the execution's status. Callers ask `nextStatus` first. */
class RefusedEvent extends Error {}

/**
 * Ends or pauses the locked execution, and hands its slot to the one that has waited longest. The slots are locked too.
 * Returns the new status.
 */
export async function transition(
  ctx: EngineContext,
  { execution_id, status }: Pick<Execution, 'execution_id' | 'status'>,
  event: LifeEvent,
  outcome: Outcome = {},
  { events = [], last = false }: EndOptions = {},
): Promise<Status> {
  const next = nextStatus(status, event)
  if (next === null || next === 'RUNNING')
    throw new RefusedEvent(`${event} of an execution that is ${status}`)
  const { resolution, hours_saved, error, failure_kind, message_for_dashboard } = outcome
  // An execution that waits for a slot has no run.
  const run_status = next === 'SKIPPED' ? 'CANCELLED' : runStatusAt(next)
  const values = [
    execution_id,
    status,
    next,
    run_status,
    ctx.now,
    isFinal(next),
    resolution ?? null,
    hours_saved ?? null,
    error ?? null,
    failure_kind ?? null,
    message_for_dashboard ?? null,
  ]
  const [moved] = await sql<Moved>(ctx, TRANSITION, values)
  if (!moved) throw new RefusedEvent(`The execution is not ${status}`)
  const { temporal_run_id, has_open_calls, has_unknown_calls, has_left, others_wait } = moved
  if (isFinal(next) && has_open_calls) {
    const why = `It was not made: the work ended, ${next}.${error ? ` ${error}` : ''}`
    await closeCalls(ctx, execution_id, why)
  }
  // The job of an execution at work settles them, whether its worker is lost or not. One that waits, or has left, has no job.
  if (has_unknown_calls && (status !== 'RUNNING' || has_left))
    await enqueue(ctx, RUN_EXECUTION, { execution_id })
  const text = isFinal(next) ? `The work ended: ${next}.` : `The work waits: ${next}.`
  const changed: NewEvent = { kind: 'STATUS_CHANGED', text }
  // An execution that was never taken up has no run for the event.
  if (temporal_run_id !== null)
    await recordEvents(ctx, { execution_id, temporal_run_id }, [...events, changed], {
      last: last && !others_wait,
    })
  if (others_wait) await grantSlots(ctx)
  return next
}

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
const HAS_WORK = scoped(
  'executions.has_work',
  `select 1 as work from execution_work w
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3`,
)

interface Decision {
  /** null: no request was settled. */
  til_request_id: string | null
  /** The run that asked; null: a run of another engine did. */
  asked_in: string | null
  /** The decision, as the timeline has it. */
  text: string
}

/**
 * Starts the next run of the locked execution, if it waits for technicians, and returns the run's id; null if it does not
 * wait, or not here. The request is settled in the same transaction, or was before.
 */
export async function resumeAfterDecision(
  ctx: EngineContext,
  { execution_id, status }: Pick<Execution, 'execution_id' | 'status'>,
  { til_request_id, asked_in, text }: Decision,
): Promise<string | null> {
  if (asked_in !== null)
    await recordEvents(ctx, { execution_id, temporal_run_id: asked_in }, [
      { kind: 'APPROVAL_DECIDED', text, til_request_id },
    ])
  if (nextStatus(status, 'RESUME') === null) return null
  const [work] = await sql(ctx, HAS_WORK, [execution_id])
  if (!work) return null
  const temporal_run_id = newId('run')
  await sql(ctx, RESUME, [execution_id, temporal_run_id, ctx.now, til_request_id])
  await recordEvents(ctx, { execution_id, temporal_run_id }, [
    { kind: 'STATUS_CHANGED', text: 'The work goes on.', til_request_id },
  ])
  await enqueue(ctx, RUN_EXECUTION, { execution_id })
  return temporal_run_id
}
