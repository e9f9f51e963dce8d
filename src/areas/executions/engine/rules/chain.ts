/** The rules of a chain of actions: the arguments that they take from the ticket, and how the chain ends. */
import { toolNamed } from '../../../../tools/registry.ts'
import type { FailureKind, Resolution, Step } from './step.ts'

/** The values of the ticket or time entry, by the names of arguments. */
export type Given = Readonly<Record<string, unknown>>

interface Action {
  type: string
  params: object
}

/** The names of the arguments of its tool that the action leaves out. */
export const leftOut = ({ type, params }: Action): string[] =>
  Object.keys((toolNamed(type)?.input_schema.properties ?? {}) as object).filter(
    (name) => !Object.hasOwn(params, name),
  )

/** The arguments of the action: its own, and those that it leaves out and the ticket or time entry gives. */
export function withGiven(action: Action, given: Given): object {
  const taken = leftOut(action).filter((name) => Object.hasOwn(given, name))
  return { ...action.params, ...Object.fromEntries(taken.map((name) => [name, given[name]])) }
}

interface Call {
  tool_name: string
  status: string
  error_code: string | null
  error: string | null
  failure_kind: FailureKind | null
}

const titleOf = ({ tool_name }: Call): string => toolNamed(tool_name)?.title ?? tool_name

// Contract silent: what a chain read alone resolves nothing if its next action was refused.
const resolutionOf = (calls: readonly Call[], count: number): Resolution => {
  const done = calls.filter(({ status }) => status === 'SUCCEEDED')
  if (done.length === count) return 'FULL'
  return done.some(({ tool_name }) => toolNamed(tool_name)?.access === 'WRITE') ? 'PARTIAL' : 'NONE'
}

/** The end of the chain after its last call; null: the next action follows. All calls are settled. */
export function afterLastCall(calls: readonly Call[], count: number): Step | null {
  const last = calls.at(-1)
  const resolution = resolutionOf(calls, count)
  if (last?.status === 'DENIED') {
    const reason = last.error ? ` ${last.error}` : ''
    return { do: 'FINISH', resolution, message: `${titleOf(last)} was refused.${reason}` }
  }
  if (last?.status === 'FAILED' || last?.status === 'TIMED_OUT') {
    const { error_code, error, failure_kind } = last
    return {
      do: 'FAIL',
      failure_kind: failure_kind ?? 'TOOL',
      code: error_code ?? 'tool_failed',
      error: `${titleOf(last)}: ${error ?? 'it failed.'}`,
    }
  }
  if (calls.length < count) return null
  const skipped = calls.filter(({ status }) => status === 'SKIPPED').length
  const message =
    skipped > 0
      ? `${count - skipped} of ${count} actions were made; the others were only recorded.`
      : `All ${count} actions were made.`
  return { do: 'FINISH', resolution, message }
}
