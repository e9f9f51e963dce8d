/** The ends of a run. */
import { ceilingsOf, hoursSaved } from '../rules/settings.ts'
import type { FailureKind, Resolution } from './decider.ts'
import type { NewEvent } from './events.ts'
import { endOrPause } from './move.ts'
import { type RunState, whileHeld } from './state.ts'

const RUNNING = 'RUNNING'

/** The work is done, as far as it could be. */
export const complete = (run: RunState, resolution: Resolution, message: string | null): Promise<unknown> => {
  const { estimated_minutes_saved } = ceilingsOf(run.agent.agent_settings)
  const hours_saved = hoursSaved(estimated_minutes_saved, resolution)
  return ending(run, 'COMPLETE', { resolution, hours_saved, message_for_dashboard: message })
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
