/** Attempts at a run that end with an error of the service itself. */
import { scoped, sql } from '../../../../db/db.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import { lockExecution, transition } from '../lifecycle/transition.ts'
import { releaseLease } from '../run/lease.ts'
import type { RunContext } from '../run/run-lock.ts'
import { lockSlots } from '../run/slots.ts'

/** Attempts that may fail before the execution does. Attempts whose worker was lost do not count. */
const MAX_FAILED = 5
const COUNT_MS = 15_000

const COUNT = scoped(
  'executions.count_failure',
  `update execution_work w set failed_attempts = w.failed_attempts + 1
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3 returning w.failed_attempts`,
)

const PLATFORM = {
  failure_kind: 'PLATFORM',
  error: 'internal_error: The service itself failed.',
} as const

/** Counts a failed attempt, and ends the execution after the last one. True if nothing is left to be tried. */
export async function countFailure(ctx: RunContext, execution_id: string): Promise<boolean> {
  ctx.now = ctx.services.now()
  return await inTransaction(ctx, COUNT_MS, async () => {
    await lockSlots(ctx)
    const execution = await lockExecution(ctx, execution_id)
    if (execution?.status !== 'RUNNING') return false
    const [work] = await sql<{ failed_attempts: number }>(ctx, COUNT, [execution_id])
    if (!work || work.failed_attempts < MAX_FAILED) {
      await releaseLease(ctx, execution_id)
      return false
    }
    await transition(ctx, execution, 'FAIL', PLATFORM, { events: [{ kind: 'ERROR', text: PLATFORM.error }] })
    return true
  })
}
