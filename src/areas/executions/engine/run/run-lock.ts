/** A run under way, as its worker knows it, and the transactions in which the worker writes for it. */
import type { Actor } from '../../../../access/viewer.ts'
import type { PinnedSkill } from '../../../../connectors/skills.ts'
import { scoped, sql } from '../../../../db/db.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import type { Services } from '../../../../gateway/context.ts'
import type { UnboundJobContext } from '../../../../jobs/job.ts'
import type { Row } from '../../../../schema/models.ts'
import { escalates } from '../../../agents/index.ts'
import type { Status } from '../rules/transitions.ts'
import { lockSlots } from './slots.ts'

export type RunContext = UnboundJobContext & { services: Services; viewer: Actor }

/** A tool call of the execution. */
export type RecordedCall = Omit<Row<'StoredToolCall'>, 'tenant_id' | 'environment' | 'execution_id'>

type Work = Row<'ExecutionWork'>

/** The agent as it was when the execution was taken up. */
export type AgentAtWork = Pick<
  Work,
  | (
      | 'agent_name'
      | 'autonomy_type'
      | 'entity_type'
      | 'agent_settings'
      | 'actions'
      | 'toolbox'
      | 'integrations'
    )
  | ('model_waits_since' | 'model_tries')
> & { skills: readonly PinnedSkill[] }

export interface RunState {
  ctx: RunContext
  /** As it was when the worker last wrote for it. */
  execution: Omit<Row<'Execution'>, 'search_text'> & {
    /** True if an enabled escalation policy acts when the agent hands its work to people. */
    escalates: boolean
  }
  run: Row<'ExecutionRun'>
  agent: AgentAtWork
  /** Every call of the execution, in order. */
  calls: RecordedCall[]
  /** The attempt of a job that works on the run. */
  holder: string
  /** The instant after which the agent may work no longer. */
  deadline: Date
  /** Aborted at the deadline, and when the job is. */
  signal: AbortSignal
}

/** The run belongs to another worker, or its execution was stopped: this worker writes nothing more for it. */
export class LeaseLost extends Error {}

/** Milliseconds that a transaction of a run may take. */
const WRITE_MS = 30_000

// Both rows are locked, so that each is judged as it is now, after changes by other transactions.
const LOCK_RUN = scoped(
  'executions.lock_run',
  `select e.status::text as status, e.supervised, e.supervisor_technician_ids, e.supervised_by_user_id,
     ${escalates('e')} as escalates
   from execution e
   join execution_run r on r.tenant_id = e.tenant_id and r.environment = e.environment
     and r.execution_id = e.execution_id
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3 and r.sequence = $4 and r.holder = $5
   for update of e, r`,
)

interface LockOptions {
  /** The run ends or pauses, and its slot is handed over. */
  with_slots?: boolean
  /** The transaction is committed even if the execution was stopped meanwhile. */
  also_if_stopped?: boolean
}

/**
 * Does the work in one transaction, in which the execution is locked. Throws LeaseLost if the run is another worker's,
 * or its execution is no longer RUNNING.
 */
export async function withRunLock<Result>(
  state: RunState,
  work: () => Promise<Result>,
  { with_slots = false, also_if_stopped = false }: LockOptions = {},
): Promise<Result> {
  const { ctx, execution, run, holder } = state
  ctx.now = ctx.services.now()
  const locked = async (): Promise<Result> => {
    if (with_slots) await lockSlots(ctx)
    const values = [execution.execution_id, run.sequence, holder]
    const [held] = await sql<Held>(ctx, LOCK_RUN, values)
    if (!held || (held.status !== 'RUNNING' && !also_if_stopped)) throw new LeaseLost()
    Object.assign(execution, held)
    return await work()
  }
  return await inTransaction(ctx, WRITE_MS, locked, { write_is_last: with_slots })
}

interface Held
  extends Pick<
    RunState['execution'],
    'supervised' | 'supervisor_technician_ids' | 'supervised_by_user_id' | 'escalates'
  > {
  status: Status
}
