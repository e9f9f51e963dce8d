/** The attempts at a callback whose PSA does not answer, or does not show its entity. */

const MINUTE_MS = 60_000

// Contract silent: an outage of an hour is waited for; then the callback is FAILED, and can be reprocessed.
/** The time from the first attempt without an answer after which no attempt is made. */
const PATIENCE_MS = 75 * MINUTE_MS

export const PATIENCE_MINUTES = PATIENCE_MS / MINUTE_MS

const FIRST_MS = 5000

/** When the attempt after this many is made; null: none is. */
export function retryAt(attempts: number, away_since: Date, now: Date): Date | null {
  const away_ms = now.getTime() - away_since.getTime()
  if (away_ms >= PATIENCE_MS) return null
  // A callback that the PSA never answers must not take the requests of other callbacks.
  const most_ms = away_ms < 10 * MINUTE_MS ? MINUTE_MS / 2 : 5 * MINUTE_MS
  return new Date(now.getTime() + Math.min(most_ms, FIRST_MS * 2 ** (attempts - 1)))
}

// Contract silent: what a PSA does not show after some six minutes is not there.
/** The seconds from each read that did not show the entity until it is looked at again. */
const LOOK_AGAIN_SECONDS: readonly number[] = [2, 10, 60, 300]

/** When to look again at an entity that so many looks before the read did not show; null: no more. */
export function lookAgainAt(looks: number, read_at: Date): Date | null {
  const seconds = LOOK_AGAIN_SECONDS[looks]
  return seconds === undefined ? null : new Date(read_at.getTime() + seconds * 1000)
}

const DAY_MS = 86_400_000
const REPROCESSABLE_DAYS = 7

/** The statuses from which a callback is processed again. */
const REPROCESSABLE = new Set(['FAILED', 'FILTERED_OUT'])

/** True if the callback may be processed again: for 7 days after its receipt. */
export const isReprocessable = (
  { status, received_at }: { status: string; received_at: Date },
  now: Date,
): boolean =>
  REPROCESSABLE.has(status) && now.getTime() - received_at.getTime() <= REPROCESSABLE_DAYS * DAY_MS
