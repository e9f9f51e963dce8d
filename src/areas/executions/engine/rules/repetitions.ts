/** The repetitions of calls that other systems did not answer. */

/** The pauses before a call is made again, in milliseconds. */
const PAUSES_MS = [250, 1000, 4000, 8000, 15_000, 30_000, 30_000]
/** The number of pauses after a failure that says nothing of a later time. */
const PAUSES_OF_OUTAGE = 3
/** A system that names a later time is not waited for. */
const LONGEST_PAUSE_MS = 300_000

interface Failure {
  /** True if another attempt may succeed. */
  is_repeatable: boolean
  /** The system takes no more calls for so long. null: it does not say so. */
  retry_after_seconds: number | null
  /** True: the requests that the service may make are used up, or the system says so. */
  is_limit: boolean
}

// Contract silent: limits are waited for within the time of the run, and outages for about a minute and a half.
/** The pause before the call that failed is made again; null: it is not made again. `left_ms`: the time that the run still has. */
export function pauseAfter(
  { is_repeatable, retry_after_seconds, is_limit }: Failure,
  tries: number,
  left_ms: number,
): number | null {
  const pause = PAUSES_MS[tries] ?? (is_limit ? PAUSES_MS.at(-1) : undefined)
  if (!is_repeatable || pause === undefined) return null
  if (retry_after_seconds === null) return tries < PAUSES_OF_OUTAGE ? pause : null
  const asked = Math.max(pause, retry_after_seconds * 1000)
  return asked > LONGEST_PAUSE_MS || asked > left_ms ? null : asked
}

/** The pauses before a system that did not answer is asked again what became of a write: a quarter of an hour in all. */
const UNANSWERED_MS = [250, 1000, 4000, 10_000, 15_000, 30_000]
const MINUTES = 14
const MINUTE_MS = 60_000

/** The pause before the system is asked again; null: people are asked. */
export const pauseUnanswered = (unanswered: number): number | null =>
  UNANSWERED_MS[unanswered] ?? (unanswered < UNANSWERED_MS.length + MINUTES ? MINUTE_MS : null)
