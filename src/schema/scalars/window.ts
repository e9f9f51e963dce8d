/** Windows that callers choose. */
import { ApiError } from '../../errors/errors.ts'
import { isWindow, type OpenWindow } from '../../lib/window.ts'

/** 400 for a window whose start is not before its end. */
export function checkWindow({ from, to }: OpenWindow): void {
  if (!isWindow({ from, to })) throw new ApiError('invalid_window', { details: { from, to } })
}
