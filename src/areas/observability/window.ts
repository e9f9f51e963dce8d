/** The window of figures, as it is asked for and answered. */
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { windowProblem } from '../../lib/window.ts'
import { builder } from '../../schema/builder.ts'
import { MAX_SECONDS, type ObservedWindow, windowOf } from './rules.ts'

export interface NamedWindow extends ObservedWindow {
  timezone: string
}

export const ObservabilityWindow = builder.objectRef<NamedWindow>('ObservabilityWindow').implement({
  description: 'The window of the figures, with the defaults of arguments that were left out.',
  fields: (t) => ({
    since: t.expose('since', { type: 'DateTime', description: 'The start, inclusive.' }),
    until: t.expose('until', { type: 'DateTime', description: 'The end, exclusive.' }),
    timezone: t.expose('timezone', {
      type: 'TimeZone',
      description: 'The tenant’s time zone, to show the instants in; UTC if none is set.',
    }),
  }),
})

/** `since` and `until`, as every operation of the area takes them. */
export const windowArgs = builder.args((t) => ({
  since: t.field({
    type: 'DateTime',
    description: 'The start. 24 hours before `until` if it is left out.',
  }),
  until: t.field({ type: 'DateTime', description: 'The end, exclusive. Now if it is left out.' }),
}))

interface WindowArgs {
  since?: Date | null | undefined
  until?: Date | null | undefined
}

/** The window that is asked for; 400 if it is none or too long. */
export function requireWindow(
  { now }: Context,
  { since = null, until = null }: WindowArgs,
  max_seconds = MAX_SECONDS,
): ObservedWindow {
  const window = windowOf(since, until, now)
  const problem = windowProblem({ from: window.since, to: window.until }, max_seconds)
  if (problem) throw new ApiError(problem, { details: { ...window, max_seconds } })
  return window
}
