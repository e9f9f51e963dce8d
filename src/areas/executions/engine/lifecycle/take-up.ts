/** Takes up executions: a NEW one that gets a slot, and a run whose worker was lost. */
import { scoped, sql } from '../../../../db/db.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import { newId } from '../../../../lib/ids.ts'
import type { Row } from '../../../../schema/models.ts'
import { escalates, joinAgent } from '../../../agents/index.ts'
import { skillsOf } from '../../../skills/index.ts'
import { ceilingsOf } from '../rules/settings.ts'
import { isFinal, nextStatus } from '../rules/transitions.ts'
import { RUN_EXECUTION } from '../run/job.ts'
import { GIVEN_UP, leaseHolderOf, takeOverLease } from '../run/lease.ts'
import type { AgentAtWork, RecordedCall, RunContext, RunState } from '../run/run-lock.ts'
import { type EngineContext, lockSlots } from '../run/slots.ts'
import { type NewEvent, recordEvents } from '../run/timeline.ts'
import { type LockedExecution, lockExecution, transition } from './transition.ts'

type Execution = RunState['execution']

/** An agent's columns, as they are kept while it works. */
const SNAPSHOT = `a.name as agent_name, a.autonomy_type, e.entity_type, coalesce(a.agent_settings, '{}') as agent_settings,
  coalesce(a.actions, '[]') as actions, coalesce(a.toolbox, '{}') as toolbox,
  coalesce(a.integrations, '{}') as integrations, ${skillsOf('a.id')} as skills`

const KEPT = 'agent_name, autonomy_type, entity_type, agent_settings, actions, toolbox, integrations, skills'

const AGENT = `select e.tenant_id, e.environment, e.execution_id, e.created_at, ${SNAPSHOT} from execution e
  ${joinAgent('e')}
  where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3`

/** Every tenant's work waits for the lock of its slots meanwhile, so that one statement does all of it. */
const PICK_UP = scoped(
  'executions.pick_up',
  `with slot as (
     select coalesce(bool_or(w.slot = 'GRANTED' and w.execution_id = $3), false) or (
       count(*) filter (where w.slot in ('GRANTED', 'HELD')) < $7::int
       and count(*) filter (where w.slot = 'WAITING' and w.execution_id <> $3) = 0
     ) as is_free
     from execution_work w where w.tenant_id = $1 and w.environment = $2 and w.slot is not null
   ), work as (
     insert into execution_work (tenant_id, environment, execution_id, slot, arrived_at, waits_since, ${KEPT})
     select s.tenant_id, s.environment, s.execution_id,
       (case when slot.is_free then 'HELD' else 'WAITING' end)::execution_slot, s.created_at,
       case when not slot.is_free then $4::timestamptz end, ${KEPT}
     from slot, (${AGENT}) s
     on conflict (tenant_id, environment, execution_id) do update set slot = 'HELD', ${KEPT.split(', ')
       .map((column) => `${column} = excluded.${column}`)
       .join(', ')}
     where excluded.slot = 'HELD'
   ), moved as (
     update execution e set status = 'RUNNING', started_at = $4::timestamptz, updated_at = $4::timestamptz,
       run_count = 1
     from slot
     where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3 and slot.is_free
     returning e.supervised
   )
   insert into execution_run (tenant_id, environment, execution_id, sequence, temporal_run_id, status, supervised,
     started_at, holder)
   select $1, $2, $3, 1, $5, 'RUNNING', m.supervised, $4::timestamptz, $6 from moved m
   returning sequence`,
)

/** Milliseconds that taking up may take. */
const TAKE_UP_MS = 30_000

type Taken = 'NOT' | 'ENDED' | 'PICKED_UP' | 'TAKEN_OVER'

const BEGAN: NewEvent = { kind: 'STATUS_CHANGED', text: 'The work began.' }

/** Fails an execution that lost too many workers. The slots and the execution are locked. */
export const failGivenUp = (ctx: EngineContext, execution: LockedExecution): Promise<unknown> =>
  transition(ctx, execution, 'FAIL', GIVEN_UP, { events: [{ kind: 'ERROR', text: GIVEN_UP.error }] })

/** Takes the execution up, if it can be. */
async function hold(ctx: RunContext, execution_id: string, holder: string): Promise<Taken> {
  ctx.now = ctx.services.now()
  const take = async (): Promise<Taken> => {
    await lockSlots(ctx)
    const execution = await lockExecution(ctx, execution_id)
    if (!execution) return 'NOT'
    if (isFinal(execution.status)) return 'ENDED'
    if (execution.status === 'RUNNING') {
      if (await takeOverLease(ctx, execution_id)) return 'TAKEN_OVER'
      ctx.log.error({ execution_id }, 'a run that lost its workers is given up')
      ctx.services.measured.job_given_up(RUN_EXECUTION.name)
      await failGivenUp(ctx, execution)
      return 'ENDED'
    }
    if (nextStatus(execution.status, 'PICK_UP') === null) return 'NOT'
    const temporal_run_id = newId('run')
    const values = [execution_id, ctx.now, temporal_run_id, holder, ctx.services.slots]
    const [run] = await sql(ctx, PICK_UP, values)
    if (!run) return 'NOT'
    await recordEvents(ctx, { execution_id, temporal_run_id }, [BEGAN], { last: true })
    return 'PICKED_UP'
  }
  return await inTransaction(ctx, TAKE_UP_MS, take, { write_is_last: true })
}

const EXECUTION = scoped(
  'executions.at_work',
  `select e.*, ${escalates('e')} as escalates from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3`,
)

const RUN = scoped(
  'executions.open_run',
  `select r.* from execution_run r
   where r.tenant_id = $1 and r.environment = $2 and r.execution_id = $3 and r.ended_at is null and r.holder = $4`,
)

const WORK = scoped(
  'executions.work',
  `select w.* from execution_work w where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3`,
)

const CALLS = scoped(
  'executions.calls',
  `select c.* from tool_call c
   where c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3 order by c.sequence`,
)

const MINUTE_MS = 60_000

/** The instant after which the agent may work no longer: time in which technicians are waited for does not count. */
const deadlineOf = ({ max_minutes }: { max_minutes: number }, execution: Execution, started_at: Date): Date =>
  new Date(started_at.getTime() + max_minutes * MINUTE_MS - Number(execution.seconds_spent) * 1000)

/** The run of the execution that this worker now holds. ENDED: the execution has. null: there is nothing to do now. */
export async function takeUp(ctx: RunContext, execution_id: string): Promise<RunState | 'ENDED' | null> {
  const holder = leaseHolderOf(ctx)
  const taken = await hold(ctx, execution_id, holder)
  if (taken === 'NOT') return null
  if (taken === 'ENDED') return taken
  const [[execution], [run], [agent], calls] = await Promise.all([
    sql<Execution>(ctx, EXECUTION, [execution_id]),
    sql<Row<'ExecutionRun'>>(ctx, RUN, [execution_id, holder]),
    sql<AgentAtWork & { waited_seconds: number }>(ctx, WORK, [execution_id]),
    sql<RecordedCall>(ctx, CALLS, [execution_id]),
  ])
  // A run of another engine has no work here, and another worker may have taken this one over already.
  if (!execution || !run || !agent) return null
  if (taken === 'PICKED_UP') ctx.services.measured.slot_wait(Number(agent.waited_seconds))
  const deadline = deadlineOf(ceilingsOf(agent.agent_settings), execution, run.started_at)
  return { ctx, execution, run, agent, calls, holder, deadline, signal: ctx.signal }
}
