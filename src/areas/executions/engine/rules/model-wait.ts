/** The wait of a run for a model that is not available. */

const FIRST_PAUSE_MS = 5_000
const MOST_PAUSE_MS = 15_000
/** Milliseconds after which a model is waited for no longer. */
const WAITED_MS = 15 * 60_000

interface Wait {
  /** When the model was first not available. */
  since: Date
  /** The questions before this one that had no answer. */
  tries: number
  now: Date
  /** The instant after which the agent may work no longer. */
  deadline: Date
  /** The pause that the model asks for. */
  retry_after_ms: number
  /** From 0 to 1, another one for each run: runs that wait together do not ask together. */
  spread: number
}

/**
 * The instant at which the model is asked again, or the run has taken too long; null: it was waited for long enough. A run
 * asks earlier if another one is answered.
 */
export function askAgainAt({ since, tries, now, deadline, retry_after_ms, spread }: Wait): Date | null {
  const end = since.getTime() + WAITED_MS
  if (now.getTime() >= end) return null
  const own = Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (1 - spread / 2)
  const pause = Math.round(Math.max(own, retry_after_ms + (spread * FIRST_PAUSE_MS) / 2))
  // One millisecond after its deadline the run ends by it.
  return new Date(Math.min(now.getTime() + pause, end, deadline.getTime() + 1))
}
