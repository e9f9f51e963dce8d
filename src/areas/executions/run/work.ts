/** The work of the job that runs an execution: one attempt. */
import { isOutage } from '../../../db/errors.ts'
import { GivenBack } from '../../../jobs/attempt.ts'
import { drive } from './drive.ts'
import { countFailure } from './failed-attempts.ts'
import { giveBack } from './lost-workers.ts'
import { settleCalls } from './settle-calls.ts'
import { skip } from './skip.ts'
import { type RunContext, RunLost } from './state.ts'
import { takeUp } from './take-up.ts'

/** Runs the execution until it ends or pauses, if it is to be run now. */
export async function work(ctx: RunContext, execution_id: string): Promise<void> {
  try {
    if (await skip(ctx, execution_id)) return
    // Those of one tenant wait for each other here, and hold a connection meanwhile.
    const run = await ctx.inTurn(() => takeUp(ctx, execution_id))
    if (run === null) return
    if (run !== 'ENDED') await drive(run)
    if (run === 'ENDED' || run.calls.some(({ status }) => status === 'STARTED'))
      await settleCalls(ctx, execution_id)
  } catch (error) {
    if (error instanceof RunLost) return
    // An outage of the database is nobody's failure, and a process that stops leaves the run to another one.
    if (ctx.signal.aborted || error instanceof GivenBack || isOutage(error)) {
      await giveBack(ctx, execution_id).catch(() => {})
      throw error
    }
    if (!(await countFailure(ctx, execution_id))) throw error
    ctx.log.error({ err: error, execution_id }, 'run failed')
    await settleCalls(ctx, execution_id)
  }
}
