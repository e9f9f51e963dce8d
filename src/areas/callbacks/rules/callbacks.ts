/** The rules of callbacks. */
import { daysBefore } from '../../../lib/time.ts'
import { isPartlyGone, type OpenWindow } from '../../../lib/window.ts'

interface Times {
  received_at: Date
  psa_changed_at: Date | null
}

// Contract silent: a PSA whose clock is ahead seems to deliver before the change; that counts as no delay.
/** Seconds from the change in the PSA until the service received the event; null if the event does not say when. */
export const deliverySeconds = ({ received_at, psa_changed_at }: Times): number | null =>
  psa_changed_at && Math.max(0, received_at.getTime() - psa_changed_at.getTime()) / 1000

/** The days for which a callback is kept. */
export const RETENTION_DAYS = 30

// Contract silent: of a change after that only that there was one is known.
/** The days for which the last version of an entity is kept. */
export const VERSION_DAYS = 180

/** A warning if the window begins or ends before what is kept. */
export function retentionWarnings(window: OpenWindow, now: Date): string[] {
  const kept_from = daysBefore(now, RETENTION_DAYS)
  if (!isPartlyGone(window, kept_from)) return []
  return [
    `window_retention: callbacks are kept for ${RETENTION_DAYS} days, from ${kept_from.toISOString()} on`,
  ]
}
