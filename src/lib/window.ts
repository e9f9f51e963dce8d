/** Time windows in requests. */

/** A half-open interval: `to` is not in it. */
export interface Window {
  from: Date
  to: Date
}

/** The problem with a window, or null. */
export function windowProblem(
  { from, to }: Window,
  max_seconds: number,
): 'invalid_window' | 'window_too_large' | null {
  if (from >= to) return 'invalid_window'
  return to.getTime() - from.getTime() > max_seconds * 1000 ? 'window_too_large' : null
}

/** A window of which a caller may leave out one side, or both. */
export interface OpenWindow {
  from?: Date | null | undefined
  to?: Date | null | undefined
}

/** True if the start is before the end, or one of them is left out. */
export const isWindow = ({ from, to }: OpenWindow): boolean => !from || !to || from < to

/** True if the window begins or ends before the first instant that is kept. */
export const isPartlyGone = ({ from, to }: OpenWindow, kept_from: Date): boolean =>
  Boolean((from && from < kept_from) || (to && to <= kept_from))
