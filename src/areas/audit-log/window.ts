/** The windows of logs. */
import { ApiError } from '../../errors.ts'
import type { Context } from '../../gateway/context.ts'
import { type Bounds, isWindow, type Log, retentionWarnings } from './rules.ts'

/** Checks the window of a log, and warns where a part of it can no longer be read. */
export function checkWindow(ctx: Context, log: Log, { from, to }: Bounds): void {
  if (!isWindow({ from, to })) throw new ApiError('invalid_window', { details: { from, to } })
  ctx.warnings.push(...retentionWarnings(log, { from, to }, ctx.now))
}
