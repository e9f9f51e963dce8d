/** The arguments `from` and `to` of figures about what is kept for 400 days. */
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { KEPT_DAYS, keptWarnings, keptWindow, MAX_SECONDS } from '../../lib/kept-window.ts'
import { type OpenWindow, type Window, windowProblem } from '../../lib/window.ts'
import { builder } from '../builder.ts'

/** The arguments of figures about rows such as `links made`. */
export const keptWindowArgs = (rows: string) =>
  builder.args((t) => ({
    from: t.field({
      type: 'DateTime',
      description: `The start: ${rows} at this instant or later. 30 days before \`to\` if it is left out.`,
    }),
    to: t.field({
      type: 'DateTime',
      description: `The end, exclusive, at most ${KEPT_DAYS} days after the start. Now if it is left out.`,
    }),
  }))

/** The codes of windows that are refused. */
export const KEPT_WINDOW_ERRORS = ['invalid_window', 'window_too_large'] as const

/** The window of the arguments, with a warning if part of it is no longer kept. */
export function askedWindow(ctx: Context, asked: OpenWindow): Window {
  const window = keptWindow(asked, ctx.now)
  const problem = windowProblem(window, MAX_SECONDS)
  if (problem) throw new ApiError(problem, { details: { ...window, max_seconds: MAX_SECONDS } })
  ctx.warnings.push(...keptWarnings(asked, ctx.now))
  return window
}
