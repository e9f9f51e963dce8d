/** Ends what an execution's job was for, once the job is given up because it lost its workers. */

import { failGivenUp } from '../lifecycle/take-up.ts'
import { lockExecution } from '../lifecycle/transition.ts'
import { isFinal, isUnderWay } from '../rules/transitions.ts'
import type { RunContext } from '../run/run-lock.ts'
import { lockSlots } from '../run/slots.ts'
import { closeUnknownCalls } from './settle-calls.ts'

/** Fails the execution; of one that has ended, the calls whose outcome is unknown. In the caller's transaction. */
export async function giveUpExecution(ctx: RunContext, execution_id: string): Promise<void> {
  await lockSlots(ctx)
  const execution = await lockExecution(ctx, execution_id)
  if (!execution) return
  if (isUnderWay(execution.status)) await failGivenUp(ctx, execution)
  else if (isFinal(execution.status)) await closeUnknownCalls(ctx, execution_id)
}
