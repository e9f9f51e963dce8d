/** The ends of a run. */
import { toolNamed } from '../../../tools/registry.ts'
import { ceilingsOf, hoursSaved } from '../rules/settings.ts'
import type { FailureKind, Resolution } from './decider.ts'
import type { NewEvent } from './events.ts'
import { endOrPause } from './move.ts'
import { type RunState, whileHeld } from './state.ts'

const RUNNING = 'RUNNING'

const completion = ({ agent }: RunState, resolution: Resolution, message_for_dashboard: string | null) => {
  const { estimated_minutes_saved } = ceilingsOf(agent.agent_settings)
  return { resolution, hours_saved: hoursSaved(estimated_minutes_saved, resolution), message_for_dashboard }
}

/** The work is done, as far as it could be. */
export const complete = (run: RunState, resolution: Resolution, message: string | null): Promise<unknown> =>
  ending(run, 'COMPLETE', completion(run, resolution, message))

/** The work is done as far as it was, in the transaction in which the run is held and the slots are locked. */
export const completeNow = (run: RunState, message: string): Promise<unknown> => {
  const { execution_id } = run.execution
  const made = run.calls.some(
    ({ status, tool_name }) => status === 'SUCCEEDED' && toolNamed(tool_name)?.access === 'WRITE',
  )
  const outcome = completion(run, made ? 'PARTIAL' : 'NONE', message)
  return endOrPause(run.ctx, { execution_id, status: RUNNING }, 'COMPLETE', outcome)
}

interface Failure {
  failure_kind: FailureKind
  code: string
  error: string
}

/** The work ends with an error. */
export const fail = (run: RunState, { failure_kind, code, error }: Failure): Promise<unknown> =>
  ending(run, 'FAIL', { failure_kind, error: `${code}: ${error}` }, [{ kind: 'ERROR', text: error }])

/** The agent worked longer than it may. */
export const timeOut = (run: RunState): Promise<unknown> => {
  const { max_minutes } = ceilingsOf(run.agent.agent_settings)
  const error = `The work took longer than ${max_minutes} minutes.`
  return ending(run, 'TIME_OUT', { failure_kind: 'LIMIT', error: `max_minutes: ${error}` }, [
    { kind: 'ERROR', text: error },
  ])
}

const ending = (
  run: RunState,
  event: Parameters<typeof endOrPause>[2],
  outcome: Parameters<typeof endOrPause>[3],
  events: readonly NewEvent[] = [],
): Promise<unknown> =>
  whileHeld(
    run,
    () => {
      const { execution_id } = run.execution
      return endOrPause(run.ctx, { execution_id, status: RUNNING }, event, outcome, events)
    },
    { ends: true },
  )
