/** The admission of waiting callbacks to their processing, at the pace at which the PSA may be asked and answers. */

// Contract silent: the number under the concurrency cap. Most of the time of each it waits for the PSA.
/** The callbacks of a tenant that are processed at once. */
export const AT_ONCE = 20

/** The callbacks that are admitted together: their tickets are read in as few requests as the PSA allows. */
export const GROUP = 10

export interface Gate {
  /** No callback is admitted before. */
  opens_at: Date
  /** Since when the requests that may be made are fewer than the waiting callbacks need. */
  short_since: Date | null
  /** Since when the PSA has answered no callback. */
  away_since: Date | null
  /** Attempts in a row that the PSA did not answer. */
  failures: number
}

interface Queue {
  now: Date
  /** The callbacks that are processed. */
  busy: number
  /** The callbacks that wait for their turn, counted up to one more than are processed at once. */
  waiting: number
  /** null: the gate is open. */
  gate: Gate | null
  /** True: tickets that are read together take fewer requests. */
  is_grouped: boolean
}

/** The waiting callbacks that are admitted next, if the requests for them may be made. */
export function admitted({ now, busy, waiting, gate, is_grouped }: Queue): number {
  if (gate && gate.opens_at.getTime() > now.getTime()) return 0
  // While the PSA does not answer, one callback after another tries it.
  if (gate?.away_since) return busy === 0 ? Math.min(1, waiting) : 0
  const free = Math.max(0, AT_ONCE - busy)
  if (waiting <= free || !is_grouped) return Math.min(waiting, free, GROUP)
  // More wait than there are slots: whole groups are admitted.
  return free >= GROUP ? GROUP : 0
}

/** Attempts in a row without an answer after which the PSA is taken to be away. */
const FAILURES = 3

const MINUTE_MS = 60_000

/** The pause between two attempts while the PSA is away, by the time for which it has been. */
const probePauseMs = (away_ms: number): number =>
  away_ms < MINUTE_MS ? 5000 : away_ms < 15 * MINUTE_MS ? 15_000 : MINUTE_MS

/** The gate with the next attempt at a PSA that is away. */
export const probedAt = (gate: Gate, now: Date): Gate =>
  gate.away_since
    ? { ...gate, opens_at: new Date(now.getTime() + probePauseMs(now.getTime() - gate.away_since.getTime())) }
    : gate

/** The gate while the requests that may be made are too few, or the PSA says so. */
export function shortUntil(gate: Gate | null, until: Date, now: Date): Gate {
  const { opens_at = now, short_since = null, away_since = null, failures = 0 } = gate ?? {}
  const later = opens_at.getTime() > until.getTime() ? opens_at : until
  return { opens_at: later, short_since: short_since ?? now, away_since, failures }
}

/** The gate after callbacks were admitted. */
export function afterAdmission(gate: Gate | null, { is_last }: { is_last: boolean }, now: Date): Gate | null {
  if (!gate || !is_last) return gate && probedAt(gate, now)
  return gate.away_since ? probedAt(gate, now) : enough(gate)
}

/** The gate once the requests that may be made suffice. */
export const enough = (gate: Gate): Gate | null =>
  gate.failures > 0 || gate.away_since ? { ...gate, short_since: null } : null

/** The gate after an attempt that the PSA did not answer. */
export function afterFailure(gate: Gate | null, now: Date): Gate {
  const { opens_at = now, short_since = null, failures: before = 0 } = gate ?? {}
  const failures = before + 1
  const away_since = gate?.away_since ?? (failures >= FAILURES ? now : null)
  return probedAt({ opens_at, short_since, away_since, failures }, now)
}

/** The seconds of a callback’s wait, by the thing waited for. */
interface Waited {
  for_slot: number
  for_psa: number
}

const seconds = (ms: number): number => Math.max(0, ms) / 1000

/** Splits the wait of a callback that is admitted: the time since the requests were short was for the PSA. */
export function waited(since: Date, gate: Gate | null, now: Date): Waited {
  if (gate?.away_since) {
    const until = Math.max(since.getTime(), gate.away_since.getTime())
    return { for_slot: seconds(until - since.getTime()), for_psa: 0 }
  }
  if (!gate?.short_since) return { for_slot: seconds(now.getTime() - since.getTime()), for_psa: 0 }
  const from = Math.max(since.getTime(), gate.short_since.getTime())
  return { for_slot: seconds(from - since.getTime()), for_psa: seconds(now.getTime() - from) }
}
