/** Starts executions: at most one of an agent is live on a ticket or time entry, whatever started it. */
import { keyOf, personIdOf, usersBehind, type Viewer } from '../../../access/viewer.ts'
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import { insertRecorded, recordedInsert, recordedWrite, writeRecorded } from '../../../gateway/activity.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { newId } from '../../../lib/ids.ts'
import type { Row } from '../../../schema/models.ts'
import { RUN_EXECUTION } from '../engine/run/job.ts'
import { IS_LIVE } from '../live.ts'

type Execution = Row<'Execution'>

/** An execution that has not come to its end. */
export interface LiveExecution extends Pick<Execution, 'execution_id' | 'status' | 'supervised'> {
  /** Its latest run; null: it has not been picked up. */
  temporal_run_id: string | null
}

/** The agent that runs, and its ticket or time entry. */
interface Work extends Pick<Execution, 'agent_id' | 'entity_type' | 'entity_id'> {
  agent_name: string
}

export interface Start
  extends Work,
    Pick<
      Execution,
      | 'entity_number'
      | 'psa_company_id'
      | 'supervised'
      | 'supervisor_technician_ids'
      | 'additional_custom_instructions'
      | 'trigger'
    >,
    Partial<Pick<Execution, 'retry_of_execution_id' | 'callback_id'>> {
  /** True if the start itself has the execution supervised, and not its agent. */
  supervised_by_start?: boolean
  /** The users behind the start beside the caller. */
  asked_by_user_ids?: readonly string[]
}

/** The context of a caller, or of a job. */
type StartContext = MutationContext & { services: Services }

const FIND_LIVE = scoped(
  'executions.live',
  `select e.execution_id, e.status, e.supervised, (
     select r.temporal_run_id from execution_run r
     where r.tenant_id = e.tenant_id and r.environment = e.environment and r.execution_id = e.execution_id
     order by r.sequence desc limit 1
   ) as temporal_run_id
   from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.entity_id = $3 and e.agent_id = $4 and e.${IS_LIVE}
   order by e.created_at desc, e.execution_id desc limit 1`,
)

/** The execution of the agent that is live on the ticket or time entry, whatever started it; null if none is. */
export async function liveExecution(
  ctx: DatabaseContext,
  { agent_id, entity_id }: { agent_id: number | null; entity_id: string | null },
): Promise<LiveExecution | null> {
  if (agent_id === null || entity_id === null) return null
  const [live] = await sql<LiveExecution>(ctx, FIND_LIVE, [entity_id, agent_id])
  return live ?? null
}

// A second one that is live on the same ticket or time entry breaks the index `execution_live`: a lost race.
const INSERT = recordedInsert('executions.start', 'Execution', {
  columns: [
    'execution_id',
    'agent_id',
    'supervised',
    'supervisor_technician_ids',
    'entity_type',
    'entity_id',
    'entity_number',
    'additional_custom_instructions',
    'created_at',
    'updated_at',
    'trigger',
    'retry_of_execution_id',
    'callback_id',
    'acting_user_id',
    'request_id',
    'psa_company_id',
    'supervised_by_user_id',
    'api_key_id',
    'api_key_name',
    'asked_by_user_ids' as const,
  ],
  returning: ['execution_id', 'status', 'supervised'],
})

const SUPERVISE = recordedWrite(
  'executions.supervise',
  `update execution set supervised = true, supervisor_technician_ids = $4, updated_at = $5, supervised_by_user_id = $6
   where tenant_id = $1 and environment = $2 and execution_id = $3 and not supervised and ${IS_LIVE}
   returning status, supervised`,
)

const SUPERVISE_RUN = scoped(
  'executions.supervise_run',
  `update execution_run set supervised = true
   where tenant_id = $1 and environment = $2 and execution_id = $3 and ended_at is null`,
)

/** The targets of an activity about an execution. */
export const targetsOf = (
  execution_id: string,
  { agent_id, agent_name }: Pick<Work, 'agent_id' | 'agent_name'>,
) => [
  { type: 'execution', id: execution_id, name: execution_id },
  { type: 'agent', id: String(agent_id), name: agent_name },
]

/** Stores the job that runs an execution, and returns the id that `startExecution` then stores it under. */
export async function enqueueExecution(ctx: StartContext): Promise<string> {
  const execution_id = newId('exe')
  await enqueue(ctx, RUN_EXECUTION, { execution_id })
  return execution_id
}

/** The caller who starts it; null if the service itself does. */
const callerIn = ({ viewer }: MutationContext): Viewer | null =>
  viewer && 'person' in viewer ? (viewer as Viewer) : null

/** The user who starts it; null if a program or the service itself does. */
function starterOf(ctx: MutationContext): string | null {
  const caller = callerIn(ctx)
  return caller && personIdOf(caller)
}

/** Stores an execution whose job is stored. `last`: nothing is read or written after it. */
export async function startExecution(
  ctx: StartContext,
  execution_id: string,
  { supervised_by_start = false, asked_by_user_ids = [], ...start }: Start,
  { last = false } = {},
): Promise<LiveExecution> {
  const caller = callerIn(ctx)
  const key = caller && keyOf(caller)
  const row = {
    retry_of_execution_id: null,
    callback_id: null,
    ...start,
    execution_id,
    acting_user_id: starterOf(ctx),
    asked_by_user_ids: [...new Set([...(caller ? usersBehind(caller) : []), ...asked_by_user_ids])],
    supervised_by_user_id: supervised_by_start ? starterOf(ctx) : null,
    api_key_id: key?.id ?? null,
    api_key_name: key?.name ?? null,
    request_id: ctx.request.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  const targets = targetsOf(execution_id, start)
  const activity = { action: 'execution.started', targets, after: { execution_id, ...start } }
  const stored = await insertRecorded(ctx, INSERT, row, activity, { last })
  return { ...stored, temporal_run_id: null }
}

/** Switches supervision on: every write of the execution waits for approval from its next one on. */
export async function superviseExecution(
  ctx: MutationContext,
  live: LiveExecution,
  { supervisor_technician_ids, ...work }: Work & Pick<Start, 'supervisor_technician_ids'>,
): Promise<LiveExecution> {
  const { execution_id } = live
  const [before, after] = [{ supervised: false }, { supervised: true, supervisor_technician_ids }]
  const activity = { action: 'execution.supervised', targets: targetsOf(execution_id, work), before, after }
  const values = [execution_id, supervisor_technician_ids, ctx.now, starterOf(ctx)]
  const [stored] = await writeRecorded<Pick<LiveExecution, 'status' | 'supervised'>>(
    ctx,
    SUPERVISE,
    values,
    activity,
  )
  if (!stored) throw new LostRace('It came to its end, or was supervised, first')
  await sql(ctx, SUPERVISE_RUN, [execution_id])
  return { ...live, ...stored }
}

/** The execution is not as it was read: the transaction is tried again. */
class LostRace extends Error {
  readonly code = '40001'
}
