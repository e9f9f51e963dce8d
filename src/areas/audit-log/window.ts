/** The windows of logs. */
import type { Context } from '../../gateway/context.ts'
import type { OpenWindow } from '../../lib/window.ts'
import { checkWindow } from '../../schema/scalars/window.ts'
import { type Log, retentionWarnings } from './rules.ts'

/** Checks the window of a log, and warns if a part of it can no longer be read. */
export function checkLogWindow(ctx: Context, log: Log, window: OpenWindow): void {
  checkWindow(window)
  ctx.warnings.push(...retentionWarnings(log, window, ctx.now))
}
