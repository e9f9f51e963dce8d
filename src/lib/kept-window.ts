/** Windows of figures about what is kept for 400 days. */
import { daysBefore } from './time.ts'
import { isPartlyGone, type OpenWindow, type Window } from './window.ts'

/** The days for which it is kept. */
export const KEPT_DAYS = 400

/** The longest window, in seconds. */
export const MAX_SECONDS = KEPT_DAYS * 24 * 60 * 60

const DEFAULT_DAYS = 30

/** The window that is asked for: by default up to now, and the 30 days before its end. */
export function keptWindow({ from, to }: OpenWindow, now: Date): Window {
  const end = to ?? now
  return { from: from ?? daysBefore(end, DEFAULT_DAYS), to: end }
}

/** A warning if the window begins or ends before the first instant that is kept. */
export function keptWarnings(window: OpenWindow, now: Date): string[] {
  const kept_from = daysBefore(now, KEPT_DAYS)
  if (!isPartlyGone(window, kept_from)) return []
  return [`window_retention: figures cover the last ${KEPT_DAYS} days, from ${kept_from.toISOString()} on`]
}
