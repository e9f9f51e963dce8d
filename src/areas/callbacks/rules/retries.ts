/** The attempts at a callback whose PSA does not answer. */

// Contract silent: an outage of an hour is waited for; then the callback is FAILED, and can be reprocessed.
/** The attempts in all: with the pauses between them about 75 minutes. */
export const ATTEMPTS = 12

const FIRST_SECONDS = 5
const MAX_SECONDS = 600

/** When the attempt after this many is made; null: none is. */
export function retryAt(attempts: number, now: Date): Date | null {
  if (attempts >= ATTEMPTS) return null
  const seconds = Math.min(MAX_SECONDS, FIRST_SECONDS * 4 ** (attempts - 1))
  return new Date(now.getTime() + seconds * 1000)
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
