/** Drives a run: one step after another, until its execution ends or pauses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../../errors/errors.ts'
import { GivenBack } from '../../../jobs/attempt.ts'
import { agenticDecider } from './agentic.ts'
import { type After, continueCall, makeCall } from './call.ts'
import { ceilingOfNext } from './ceilings.ts'
import type { Decider, Step } from './decider.ts'
import { complete, fail, timeOut } from './ends.ts'
import { recordEvents } from './events.ts'
import { FIXED } from './fixed.ts'
import { isSettled } from './recorded.ts'
import { type RunState, whileHeld } from './state.ts'
import { waitForModel } from './wait-for-model.ts'

type Next = After | 'ENDED'

const deciderOf = ({ agent }: RunState): Decider =>
  agent.autonomy_type === 'CHAINED_ACTIONS' ? FIXED : agenticDecider()

async function say({ ctx, execution, run }: RunState, text: string): Promise<void> {
  await recordEvents(ctx, { ...execution, temporal_run_id: run.temporal_run_id }, [{ kind: 'MESSAGE', text }])
}

async function take(run: RunState, step: Step): Promise<Next> {
  switch (step.do) {
    case 'CALL': {
      const over = await ceilingOfNext(run)
      if (!over) return await makeCall(run, step.call)
      await fail(run, { ...over, failure_kind: 'LIMIT' })
      return 'ENDED'
    }
    case 'SAY':
      await whileHeld(run, () => say(run, step.text))
      return 'GO_ON'
    case 'WAIT_FOR_MODEL':
      return await waitForModel(run, step)
    case 'FINISH':
      await complete(run, step.resolution, step.message)
      return 'ENDED'
    case 'FAIL':
      await fail(run, step)
      return 'ENDED'
  }
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
          ...({ do: 'FAIL', failure_kind: 'INTEGRATION', code: error.code } as const),
          error: 'The PSA could not be reached, or did not answer in time.',
        }
      await sleep(pause, undefined, { signal: run.signal })
    }
  }
}

/** Takes the next step. One that is not chosen before the deadline is none. */
async function takeNext(run: RunState, decider: Decider): Promise<Next> {
  let step: Step
  try {
    step = await nextStep(decider, run)
  } catch (error) {
    if (run.signal.aborted && !run.ctx.signal.aborted) return 'GO_ON'
    throw error
  }
  return await take(run, step)
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

/** Works until the execution has ended or pauses. Throws RunLost if another worker, or nobody, goes on with it. */
export async function drive(taken: RunState): Promise<void> {
  const { run, watch, clear } = withDeadline(taken)
  const decider = deciderOf(run)
  try {
    for (let next: Next = 'GO_ON'; next === 'GO_ON'; ) {
      if (run.ctx.services.stopping.aborted) throw new GivenBack()
      run.ctx.signal.throwIfAborted()
      if (run.signal.aborted || run.ctx.services.now() > run.deadline) {
        await timeOut(run)
        return
      }
      watch()
      const open = run.calls.find((call) => !isSettled(call))
      next = open ? await continueCall(run, open) : await takeNext(run, decider)
    }
  } finally {
    clear()
  }
}
