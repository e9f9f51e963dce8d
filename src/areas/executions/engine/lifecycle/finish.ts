/** Finishes a run: its execution comes to its end. */
import { toolNamed } from '../../../../tools/registry.ts'
import { ceilingsOf, hoursSaved } from '../rules/settings.ts'
import type { FailureKind, Resolution } from '../rules/step.ts'
import { type RunState, withRunLock } from '../run/run-lock.ts'
import { transition } from './transition.ts'

const completion = ({ agent }: RunState, resolution: Resolution, message_for_dashboard: string | null) => {
  const { estimated_minutes_saved } = ceilingsOf(agent.agent_settings)
  return { resolution, hours_saved: hoursSaved(estimated_minutes_saved, resolution), message_for_dashboard }
}

/** Ends the run, in the transaction in which it and the slots are locked. */
const finishLocked = (
  { ctx, execution: { execution_id } }: RunState,
  event: Parameters<typeof transition>[2],
  outcome: Parameters<typeof transition>[3],
  { error, last = false }: { error?: string; last?: boolean } = {},
): Promise<unknown> =>
  transition(ctx, { execution_id, status: 'RUNNING' }, event, outcome, {
    events: error === undefined ? [] : [{ kind: 'ERROR', text: error }],
    last,
  })

/** Ends the run in a transaction of its own. */
const finish = (
  run: RunState,
  event: Parameters<typeof transition>[2],
  outcome: Parameters<typeof transition>[3],
  error?: string,
): Promise<unknown> =>
  withRunLock(
    run,
    () => finishLocked(run, event, outcome, { last: true, ...(error !== undefined && { error }) }),
    {
      with_slots: true,
    },
  )

/** The work is done, as far as it could be. */
export const complete = (run: RunState, resolution: Resolution, message: string | null): Promise<unknown> =>
  finish(run, 'COMPLETE', completion(run, resolution, message))

/** The work is done as far as it was, in the transaction in which the run and the slots are locked. */
export const completeLocked = (run: RunState, message: string): Promise<unknown> => {
  const made = run.calls.some(
    ({ status, tool_name }) => status === 'SUCCEEDED' && toolNamed(tool_name)?.access === 'WRITE',
  )
  return finishLocked(run, 'COMPLETE', completion(run, made ? 'PARTIAL' : 'NONE', message))
}

interface Failure {
  failure_kind: FailureKind
  code: string
  error: string
}

const failureOf = ({ failure_kind, code, error }: Failure) => ({ failure_kind, error: `${code}: ${error}` })

/** The work ends with an error, in the transaction in which the run and the slots are locked. */
export const failLocked = (run: RunState, failure: Failure): Promise<unknown> =>
  finishLocked(run, 'FAIL', failureOf(failure), { error: failure.error })

/** The work ends with an error. */
export const fail = (run: RunState, failure: Failure): Promise<unknown> =>
  finish(run, 'FAIL', failureOf(failure), failure.error)

/** The agent worked longer than it may. */
export const timeOut = (run: RunState): Promise<unknown> => {
  const { max_minutes } = ceilingsOf(run.agent.agent_settings)
  const error = `The work took longer than ${max_minutes} minutes.`
  const outcome = { failure_kind: 'LIMIT', error: `max_minutes: ${error}` } as const
  return finish(run, 'TIME_OUT', outcome, error)
}
