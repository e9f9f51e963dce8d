/** Waits for the result of a call that was made: the run is left with neither a slot nor a lease, until `resultArrived` wakes it. */
import { scoped, sql } from '../../../../db/db.ts'
import { enqueue } from '../../../../jobs/enqueue.ts'
import { isResultPending } from '../../../../tools/execute.ts'
import type { Tool } from '../../../../tools/tool.ts'
import type { LockedExecution } from '../lifecycle/transition.ts'
import { RUN_EXECUTION } from '../run/job.ts'
import { releaseLease } from '../run/lease.ts'
import { type RecordedCall, type RunState, withRunLock } from '../run/run-lock.ts'
import { type EngineContext, grantSlots } from '../run/slots.ts'
import { recordEvents } from '../run/timeline.ts'

const LEAVE_SLOT = scoped(
  'executions.leave_slot',
  `update execution_work w set slot = null
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3 and w.slot = 'HELD'`,
)

// Contract silent: the time in which a result is waited for is time of the work; the run is judged by its deadline afterwards.
/** Leaves the run until the result is there; CONTINUE: it is there already. */
export async function waitForResult(
  run: RunState,
  tool: Tool,
  call: RecordedCall,
): Promise<'CONTINUE' | 'STOP'> {
  const { ctx, execution } = run
  return await withRunLock(
    run,
    async () => {
      if (!(await isResultPending(ctx, tool, call.id))) return 'CONTINUE'
      if (execution.status !== 'RUNNING') return 'STOP'
      await recordEvents(ctx, run.run, [
        { kind: 'MESSAGE', text: `${tool.title}: under way. The work waits for its end.` },
      ])
      await releaseLease(ctx, execution.execution_id)
      await sql(ctx, LEAVE_SLOT, [execution.execution_id])
      await grantSlots(ctx)
      return 'STOP'
    },
    { with_slots: true, also_if_stopped: true },
  )
}

const TAKE_SLOT = scoped(
  'executions.take_slot_again',
  `update execution_work w set slot = 'HELD', lost_attempts = 0
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3 and w.slot is null
   returning 1 as woken`,
)

const RUN_OF_CALL = scoped(
  'executions.run_of_call',
  `select c.temporal_run_id from tool_call c
   where c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3 and c.id = $4`,
)

interface Arrived {
  tool_call_id: string
  /** The result, as the timeline has it. */
  text: string
}

// Contract silent: a run whose result has arrived does not wait for a slot again.
/**
 * Puts the result of a call into the timeline of the locked execution, and wakes the execution if it waits for it. One that is
 * still about to wait finds the result by itself.
 */
export async function resultArrived(
  ctx: EngineContext,
  { execution_id, status }: Pick<LockedExecution, 'execution_id' | 'status'>,
  { tool_call_id, text }: Arrived,
): Promise<void> {
  if (status !== 'RUNNING') return
  const [call] = await sql<{ temporal_run_id: string }>(ctx, RUN_OF_CALL, [execution_id, tool_call_id])
  if (call) await recordEvents(ctx, { execution_id, ...call }, [{ kind: 'MESSAGE', text }])
  const [woken] = await sql(ctx, TAKE_SLOT, [execution_id])
  if (woken) await enqueue(ctx, RUN_EXECUTION, { execution_id })
}
