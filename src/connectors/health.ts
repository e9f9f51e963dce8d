/** What calls of a connected system tell of its health. */

/** What is known of a connection: healthy if nothing is set. */
export interface KnownHealth {
  /** No call since it was connected has told. */
  is_unknown: boolean
  /** The system refused the credentials the last time. */
  is_refused: boolean
  /** When the system first failed with no answer since. null: it answered since then. */
  failing_since: Date | null
}

/** ANSWERED: the system took the call, or refused it as such. REFUSED: it did not accept the credentials. FAILED: it is away. */
export type CallOutcome = 'ANSWERED' | 'REFUSED' | 'FAILED'

/** Failures over a shorter time are no outage. */
export const OUTAGE_MS = 10_000

/** What is known after the call, and whether the outcome has to be stored: calls of a healthy system store nothing. */
export function healthAfter(
  { is_unknown, is_refused, failing_since }: KnownHealth,
  outcome: CallOutcome,
  now: Date,
): { health: KnownHealth; is_stored: boolean } {
  if (outcome === 'ANSWERED')
    return {
      health: { is_unknown: false, is_refused: false, failing_since: null },
      is_stored: is_unknown || is_refused || failing_since !== null,
    }
  // Each refusal counts.
  if (outcome === 'REFUSED')
    return { health: { is_unknown: false, is_refused: true, failing_since: null }, is_stored: true }
  const is_first = failing_since === null
  const is_outage = !is_first && now.getTime() - failing_since.getTime() >= OUTAGE_MS
  return {
    health: { is_unknown, is_refused, failing_since: failing_since ?? now },
    is_stored: is_first || is_outage,
  }
}
