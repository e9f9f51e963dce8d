/** The calls that an execution leaves open at its end: each has its entry in the audit log, too. */
import { scoped, sql } from '../../../db/db.ts'
import { toolNamed } from '../../../tools/registry.ts'
import type { EventContext } from './events.ts'
import { OUTCOME_UNKNOWN } from './recorded.ts'
import type { RecordedCall } from './state.ts'
import { type Calling, leaveEnd } from './trail.ts'

const IS_UNKNOWN = `c.status = 'STARTED' or c.error_code is not distinct from '${OUTCOME_UNKNOWN}'`

const CLOSE = scoped(
  'executions.close_calls',
  `update tool_call c
   set status = case when ${IS_UNKNOWN} then 'FAILED' else 'SKIPPED' end::tool_call_status,
     error_code = case when ${IS_UNKNOWN} then '${OUTCOME_UNKNOWN}' else 'not_made' end,
     error = case when ${IS_UNKNOWN} then 'Nobody could tell whether it was made.' else $6 end,
     ended_at = $4::timestamptz
   from execution e
   join execution_work w on w.tenant_id = e.tenant_id and w.environment = e.environment
     and w.execution_id = e.execution_id
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3
     and c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3
     and (c.status in ('PROPOSED', 'WAITING') or ($5::boolean and c.status = 'STARTED'))
   returning c.*, e.agent_id, e.entity_id, e.entity_number, e.supervised, e.acting_user_id, e.request_id,
     e.psa_company_id, w.agent_name`,
)

interface Closing {
  /** The reason why a call that waits is not made. */
  why: string
  /** The worker that was making a call does not record what it came to. */
  lost: boolean
}

type Closed = RecordedCall & { status: 'FAILED' | 'SKIPPED' } & Calling['execution'] & Calling['agent']

/** Closes the open calls of the execution, which is locked. Those that are being made are left to their worker. */
export async function closeCalls(
  ctx: EventContext,
  execution_id: string,
  { why, lost }: Closing,
): Promise<void> {
  for (const call of await sql<Closed>(ctx, CLOSE, [execution_id, ctx.now, lost, why]))
    await leaveEnd({ ctx, execution: call, agent: call }, toolNamed(call.tool_name), call)
}
