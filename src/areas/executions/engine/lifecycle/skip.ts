/** Skips executions whose ticket or time entry no longer meets the conditions of the agent. */
import { psaOf } from '../../../../connectors/psa.ts'
import { scoped, sql } from '../../../../db/db.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import type { Row } from '../../../../schema/models.ts'
import { type ConditionalAgent, evaluateConditions, hasConditions, joinAgent } from '../../../agents/index.ts'
import { isSuspendedTenant } from '../../../tenant/index.ts'
import { isConditional } from '../rules/conditions.ts'
import type { RunContext } from '../run/run-lock.ts'
import { lockSlots } from '../run/slots.ts'
import { lockExecution, transition } from './transition.ts'

interface Accepted extends Pick<Row<'Execution'>, 'status' | 'trigger' | 'entity_id'>, ConditionalAgent {
  /** True while the tenant is suspended: nothing is asked of its PSA. */
  suspended: boolean
}

const ACCEPTED = scoped(
  'executions.accepted',
  `select e.status, e.trigger, e.entity_id, e.entity_type, a.ticket_conditions, a.time_entry_conditions,
     ${isSuspendedTenant('e.tenant_id')} as suspended
   from execution e
   ${joinAgent('e')}
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3`,
)

const SKIP_MS = 15_000

// Contract silent: what is gone meanwhile is not looked for if there are no conditions: the first call of the work tells.
/** Skips a NEW execution that has nothing to do any more; false if it is to be run. */
export async function skip(ctx: RunContext, execution_id: string): Promise<boolean> {
  const [accepted] = await sql<Accepted>(ctx, ACCEPTED, [execution_id])
  if (!accepted || accepted.suspended || !isConditional(accepted) || accepted.entity_id === null) return false
  if (!hasConditions(accepted)) return false
  const judged = await evaluateConditions(
    psaOf({ ...ctx, pace: 'AGENT' }),
    accepted,
    accepted.entity_id,
    ctx.now,
  )
  if (judged?.met) return false
  const message = judged
    ? 'It no longer met the conditions of the agent when its turn came.'
    : 'The PSA no longer had it when its turn came.'
  return await inTransaction(ctx, SKIP_MS, async () => {
    await lockSlots(ctx)
    const execution = await lockExecution(ctx, execution_id)
    if (execution?.status !== 'NEW') return false
    await transition(ctx, execution, 'SKIP', { message_for_dashboard: message })
    return true
  })
}
