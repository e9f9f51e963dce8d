/** Runs an execution: the job, one attempt of it, and the loop that takes one step after another. */
import { isOutage } from '../../../db/errors.ts'
import { ApiError } from '../../../errors/errors.ts'
import { JobReleased } from '../../../jobs/attempt.ts'
import { MOST_LOST, tenantJob } from '../../../jobs/job.ts'
import { ceilingOfNext } from './calls/ceilings.ts'
import { type AfterStep, continueCall, startCall } from './calls/tool-call.ts'
import { agenticDecider } from './deciders/agentic.ts'
import { chainedActionsDecider } from './deciders/chained-actions.ts'
import type { Decider } from './deciders/decider.ts'
import { waitForModel } from './deciders/wait-for-model.ts'
import { complete, fail, timeOut } from './lifecycle/finish.ts'
import { skip } from './lifecycle/skip.ts'
import { takeUp } from './lifecycle/take-up.ts'
import { countFailure } from './recovery/failed-attempts.ts'
import { giveUpExecution } from './recovery/given-up.ts'
import { settleCalls } from './recovery/settle-calls.ts'
import type { Step } from './rules/step.ts'
import { RUN_EXECUTION } from './run/job.ts'
import { releaseLease } from './run/lease.ts'
import { LeaseLost, type RunContext, type RunState, withRunLock } from './run/run-lock.ts'
import { isSettled } from './run/stored-calls.ts'
import { recordEvents } from './run/timeline.ts'

const HOUR_SECONDS = 3600

/** Runs an execution. */
export const runExecution = tenantJob({
  name: RUN_EXECUTION.name,
  payload: RUN_EXECUTION.payload,
  transaction: false,
  // A process that stops uses one up; the run itself counts those that fail.
  retries: 10_000,
  // Agents work for four hours at most.
  timeout_seconds: 5 * HOUR_SECONDS,
  // A run mostly waits for other systems, and holds no connection meanwhile.
  concurrency: 'MODEL_CALLS',
  // Contract silent: a tenant has at most 100 runs at work on a worker. Its slots let far fewer work at once.
  concurrency_of_tenant: 100,
  waits: true,
  // The execution itself is the record of its run.
  kept_seconds: 60,
  // The run itself is given up after three; one more is lost where no run is taken up.
  most_lost: MOST_LOST + 1,
  onGivenUp: (ctx, { execution_id }) => giveUpExecution(ctx as RunContext, execution_id),
  handler: (ctx, { execution_id }) => attempt(ctx as RunContext, execution_id),
})

/** Runs the execution until it ends or pauses, if it is to be run now. */
async function attempt(ctx: RunContext, execution_id: string): Promise<void> {
  try {
    if (await skip(ctx, execution_id)) return
    // Those of one tenant wait for each other here, and hold a connection meanwhile.
    const run = await ctx.inTurn(() => takeUp(ctx, execution_id))
    if (run === null) return
    if (run !== 'ENDED') await takeSteps(run)
    if (run === 'ENDED' || run.calls.some(({ status }) => status === 'STARTED'))
      await settleCalls(ctx, execution_id)
  } catch (error) {
    if (error instanceof LeaseLost) return
    // An outage of the database is nobody's failure, and a process that stops leaves the run to another one.
    if (ctx.signal.aborted || error instanceof JobReleased || isOutage(error)) {
      await releaseLease(ctx, execution_id).catch(() => {})
      throw error
    }
    if (!(await countFailure(ctx, execution_id))) throw error
    ctx.log.error({ err: error, execution_id }, 'run failed')
    await settleCalls(ctx, execution_id)
  }
}

const deciderOf = ({ agent }: RunState): Decider =>
  agent.autonomy_type === 'CHAINED_ACTIONS' ? chainedActionsDecider : agenticDecider()

/** Takes steps until the execution has ended or pauses. Throws LeaseLost if another worker, or nobody, goes on with it. */
async function takeSteps(taken: RunState): Promise<void> {
  const { run, watch, clear } = withDeadline(taken)
  const decider = deciderOf(run)
  try {
    for (let after: AfterStep = 'CONTINUE'; after === 'CONTINUE'; ) {
      if (run.ctx.services.stopping.aborted) throw new JobReleased()
      run.ctx.signal.throwIfAborted()
      if (run.signal.aborted || run.ctx.services.now() > run.deadline) {
        await timeOut(run)
        return
      }
      watch()
      const open = run.calls.find((call) => !isSettled(call))
      after = open ? await continueCall(run, open) : await takeNextStep(run, decider)
      await run.ctx.forgetLost()
    }
  } finally {
    clear()
  }
}

/** Takes the step that the decider chooses. A step chosen after the deadline is dropped. */
async function takeNextStep(run: RunState, decider: Decider): Promise<AfterStep> {
  let step: Step
  try {
    step = await nextStep(decider, run)
  } catch (error) {
    if (run.signal.aborted && !run.ctx.signal.aborted) return 'CONTINUE'
    throw error
  }
  return await take(run, step)
}

/** The pauses before the decider is asked again, in milliseconds. */
const PAUSES_MS = [250, 1000, 4000]

/** The next step. A decider that reads from the PSA, and cannot, is asked again before the run fails. */
async function nextStep(decider: Decider, run: RunState): Promise<Step> {
  for (let tries = 0; ; tries++) {
    try {
      return await decider.next(run)
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'upstream_unavailable')) throw error
      const pause = PAUSES_MS[tries]
      if (pause === undefined)
        return {
          do: 'FAIL' as const,
          failure_kind: 'INTEGRATION' as const,
          code: error.code,
          error: error.message,
        }
      await run.ctx.services.pause(pause, run.signal)
    }
  }
}

async function take(run: RunState, step: Step): Promise<AfterStep> {
  switch (step.do) {
    case 'CALL': {
      const over = await ceilingOfNext(run)
      if (!over) return await startCall(run, step.call)
      await fail(run, { ...over, failure_kind: 'LIMIT' })
      return 'STOP'
    }
    case 'SAY':
      await withRunLock(run, () => recordEvents(run.ctx, run.run, [{ kind: 'MESSAGE', text: step.text }]))
      return 'CONTINUE'
    case 'WAIT_FOR_MODEL':
      return await waitForModel(run, step)
    case 'FINISH':
      await complete(run, step.resolution, step.message)
      return 'STOP'
    case 'FAIL':
      await fail(run, step)
      return 'STOP'
  }
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** The run with a signal that is aborted at its deadline too, as the clock stands when `watch` is called. */
function withDeadline(run: RunState): { run: RunState; watch: () => void; clear: () => void } {
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const clear = () => clearTimeout(timer)
  const watch = () => {
    clear()
    const ms = Math.max(0, run.deadline.getTime() - run.ctx.services.now().getTime())
    timer = setTimeout(() => over.abort(), Math.min(ms, MAX_TIMEOUT_MS)).unref()
  }
  const signal = AbortSignal.any([run.ctx.signal, over.signal])
  return { run: Object.assign(run, { signal }), watch, clear }
}
