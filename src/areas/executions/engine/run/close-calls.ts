/** The calls that wait when their execution ends: none is made, and each has its entry in the audit log, too. */
import { type DatabaseContext, scoped, sql } from '../../../../db/db.ts'
import { toolNamed } from '../../../../tools/registry.ts'
import { type Calling, recordFinalOutcome } from './record-outcome.ts'
import type { RecordedCall } from './run-lock.ts'
import { OUTCOME_UNKNOWN } from './stored-calls.ts'
import type { EventContext } from './timeline.ts'

/** The condition that it is not known whether the call `c`, which has not come to its end, was made. */
export const IS_UNKNOWN = `(c.status = 'STARTED' or c.status = 'WAITING' and c.error_code is not distinct from '${OUTCOME_UNKNOWN}')`

const CLOSE = scoped(
  'executions.close_calls',
  `update tool_call c
   set status = 'SKIPPED', error_code = 'not_made', error = $5, ended_at = $4::timestamptz
   from execution e
   join execution_work w on w.tenant_id = e.tenant_id and w.environment = e.environment
     and w.execution_id = e.execution_id
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3
     and c.tenant_id = $1 and c.environment = $2 and c.execution_id = $3
     and c.status in ('PROPOSED', 'WAITING') and not ${IS_UNKNOWN}
   returning c.*, e.agent_id, e.entity_id, e.entity_number, e.supervised, e.acting_user_id, e.api_key_id,
     e.api_key_name, e.request_id, e.psa_company_id, w.agent_name`,
)

type Closed = RecordedCall & { status: 'SKIPPED' } & Calling['execution'] & Calling['agent']

/** Closes the calls of the execution, which is locked, that wait. Those that may have been made are settled afterwards. */
export async function closeCalls(ctx: EventContext, execution_id: string, why: string): Promise<void> {
  for (const call of await sql<Closed>(ctx, CLOSE, [execution_id, ctx.now, why]))
    await recordFinalOutcome({ ctx, execution: call, agent: call }, toolNamed(call.tool_name), call)
}

const SETTLED = scoped(
  'executions.calls_settled',
  `update execution_work w set slot = null
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3 and w.slot = 'SETTLING'`,
)

/** Takes note that it is known of each call of the ended execution, which is locked, whether it was made. */
export async function callsSettled(ctx: DatabaseContext, execution_id: string): Promise<void> {
  await sql(ctx, SETTLED, [execution_id])
}
