/** Exact limits: every call within the window is remembered, in the database. */
import type { Decision, Rate } from './rules.ts'

export interface CallLog {
  /** True if the latest call was within the limit. */
  allowed: boolean
  /** The calls in the window that were let through. */
  count: number
  /** The instants of the first and the last of them. */
  oldest: Date
  newest: Date
}

/** The decision on a call, by the log after it. */
export function decisionByLog(
  { quota, window_seconds }: Pick<Rate, 'quota' | 'window_seconds'>,
  { allowed, count, oldest, newest }: CallLog,
  now: Date,
): Decision {
  const secondsUntilOut = (at: Date): number =>
    Math.max(1, Math.ceil((at.getTime() + window_seconds * 1000 - now.getTime()) / 1000))
  const remaining = quota - count
  const reset_seconds = secondsUntilOut(newest)
  return {
    allowed,
    exhausted: allowed ? null : 'quota',
    remaining,
    reset_seconds,
    burst_remaining: remaining,
    burst_reset_seconds: reset_seconds,
    retry_after_seconds: allowed ? 0 : secondsUntilOut(oldest),
  }
}
