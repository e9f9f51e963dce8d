/** Drives a run: one step after another, until its execution ends or pauses. */
import { GivenBack } from '../../../jobs/attempt.ts'
import { ceilingsOf } from '../rules/settings.ts'
import { agenticDecider } from './agentic.ts'
import { type After, continueCall, makeCall } from './call.ts'
import type { Decider, Step } from './decider.ts'
import { complete, fail, timeOut } from './ends.ts'
import { recordEvents } from './events.ts'
import { FIXED } from './fixed.ts'
import { isSettled } from './recorded.ts'
import { type RunState, whileHeld } from './state.ts'

type Next = After | 'ENDED'

const deciderOf = ({ agent }: RunState): Decider =>
  agent.autonomy_type === 'CHAINED_ACTIONS' ? FIXED : agenticDecider()

async function say({ ctx, execution, run }: RunState, text: string): Promise<void> {
  await recordEvents(ctx, { ...execution, temporal_run_id: run.temporal_run_id }, [{ kind: 'MESSAGE', text }])
}

async function take(run: RunState, step: Step): Promise<Next> {
  switch (step.do) {
    case 'CALL': {
      const { max_tool_calls } = ceilingsOf(run.agent.agent_settings)
      if (run.calls.length < max_tool_calls) return await makeCall(run, step.call)
      const error = `The agent wanted to make more than ${max_tool_calls} tool calls.`
      await fail(run, { failure_kind: 'LIMIT', code: 'max_tool_calls', error })
      return 'ENDED'
    }
    case 'SAY':
      await whileHeld(run, () => say(run, step.text))
      return 'GO_ON'
    case 'FINISH':
      await complete(run, step.resolution, step.message)
      return 'ENDED'
    case 'FAIL':
      await fail(run, step)
      return 'ENDED'
  }
}

/** Takes the next step. One that is not chosen before the deadline is none. */
async function takeNext(run: RunState, decider: Decider): Promise<Next> {
  let step: Step
  try {
    step = await decider.next(run)
  } catch (error) {
    if (run.signal.aborted && !run.ctx.signal.aborted) return 'GO_ON'
    throw error
  }
  return await take(run, step)
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** The run with a signal that is aborted at its deadline too. */
function withDeadline(run: RunState): { run: RunState; clear: () => void } {
  const over = new AbortController()
  const ms = Math.max(0, run.deadline.getTime() - run.ctx.services.now().getTime())
  const timer = setTimeout(() => over.abort(), Math.min(ms, MAX_TIMEOUT_MS)).unref()
  const signal = AbortSignal.any([run.ctx.signal, over.signal])
  return { run: Object.assign(run, { signal }), clear: () => clearTimeout(timer) }
}

/** Works until the execution has ended or pauses. Throws RunLost where another worker, or nobody, goes on with it. */
export async function drive(taken: RunState): Promise<void> {
  const { run, clear } = withDeadline(taken)
  const decider = deciderOf(run)
  try {
    for (let next: Next = 'GO_ON'; next === 'GO_ON'; ) {
      if (run.ctx.services.stopping.aborted) throw new GivenBack()
      run.ctx.signal.throwIfAborted()
      if (run.signal.aborted || run.ctx.services.now() > run.deadline) {
        await timeOut(run)
        return
      }
      const open = run.calls.find((call) => !isSettled(call))
      next = open ? await continueCall(run, open) : await takeNext(run, decider)
    }
  } finally {
    clear()
  }
}
