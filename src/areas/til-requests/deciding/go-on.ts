/** Resumes executions once their requests are settled. */
import { scoped, sql } from '../../../db/db.ts'
import { lockExecution, recordEvents, resumeExecution } from '../../executions/index.ts'

type EngineContext = Parameters<typeof resumeExecution>[0]

/** Locks the execution of a request, before the request itself is locked. */
export async function lockExecutionOf(ctx: EngineContext, execution_id: string | null): Promise<void> {
  if (execution_id !== null) await lockExecution(ctx, execution_id)
}

interface SettledRequest {
  id: string
  title: string
  execution_id: string | null
  initiating_temporal_run_id: string | null
}

const RESUMED = scoped(
  'til_requests.resumed',
  `update til_request r set resumed_temporal_run_id = $4
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

/** Resumes the execution of a request that is settled, in the same transaction. */
export async function goOn(
  ctx: EngineContext,
  { id, title, execution_id, initiating_temporal_run_id }: SettledRequest,
  outcome: string,
): Promise<void> {
  if (execution_id === null) return
  if (initiating_temporal_run_id !== null)
    await recordEvents(ctx, { execution_id, temporal_run_id: initiating_temporal_run_id }, [
      { kind: 'APPROVAL_DECIDED', text: `${title}: ${outcome}`, til_request_id: id },
    ])
  const temporal_run_id = await resumeExecution(ctx, { execution_id, til_request_id: id })
  if (temporal_run_id !== null) await sql(ctx, RESUMED, [id, temporal_run_id])
}
