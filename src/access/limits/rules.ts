/**
 * The arithmetic of token buckets.
 *
 * bucket: holds at most `quota` tokens and gets `quota / window_seconds` a second; a request takes its cost.
 * burst: a second, smaller bucket beside it; a request takes from both.
 * lease: tokens that a process took from the shared row and spends without asking again.
 */
export interface Rate {
  /** Letters and underscores; one name has one quota. */
  name: string
  quota: number
  window_seconds: number
  burst?: { quota: number; window_seconds: number }
}

export interface Decision {
  allowed: boolean
  /** The bucket that lacks the tokens, of two the one to wait longer for; null if the request was allowed. */
  exhausted: 'quota' | 'burst' | null
  /** The tokens that are left, as far as this process knows. */
  remaining: number
  /** Until the bucket is full again. */
  reset_seconds: number
  /** The same of the burst. */
  burst_remaining: number
  burst_reset_seconds: number
  /** Until the same request can succeed; 0 if it was allowed. */
  retry_after_seconds: number
}

/** The tokens in a bucket. Without a burst both are the same. */
export interface Level {
  tokens: number
  burst_tokens: number
}

/** The most of the quota that one lease takes, and of the burst. */
const LOT_SHARE = 0.05
const BURST_LOT_SHARE = 0.25

/** The smaller bucket; without one, the bucket itself. */
export const burstOf = (rate: Rate): { quota: number; window_seconds: number } => rate.burst ?? rate

/** The tokens that a bucket gets in a second. */
export const speed = (bucket: { quota: number; window_seconds: number }): number =>
  bucket.quota / bucket.window_seconds

/** The most that one request can cost. */
export const capacity = (rate: Rate): number => Math.min(rate.quota, burstOf(rate).quota)

/** The level of an unused bucket. */
export const fullLevel = (rate: Rate): Level => ({ tokens: rate.quota, burst_tokens: burstOf(rate).quota })

/** The most tokens that a lease takes beyond what its request needs. */
export const maxLease = (rate: Rate): number => {
  const lot = Math.min(rate.quota * LOT_SHARE, rate.burst ? rate.burst.quota * BURST_LOT_SHARE : rate.quota)
  return Math.max(1, Math.floor(lot))
}

/** The level after some seconds without requests. */
export function refilled(rate: Rate, level: Level, seconds: number): Level {
  const burst = burstOf(rate)
  const elapsed = Math.max(0, seconds)
  return {
    tokens: Math.min(rate.quota, level.tokens + elapsed * speed(rate)),
    burst_tokens: Math.min(burst.quota, level.burst_tokens + elapsed * speed(burst)),
  }
}

/** Seconds until a bucket that holds `tokens` holds `wanted`. */
const secondsFor = (
  { quota, window_seconds }: { quota: number; window_seconds: number },
  tokens: number,
  wanted: number,
): number => Math.max(0, ((wanted - tokens) * window_seconds) / quota)

/** Seconds until `cost` tokens can be there; 0 when they are. */
export const secondsUntilTokens = (rate: Rate, level: Level, cost: number): number =>
  Math.max(secondsFor(rate, level.tokens, cost), secondsFor(burstOf(rate), level.burst_tokens, cost))

/**
 * The decision on a request, from the level of the shared row and the leased tokens. `lacking` are the tokens that the
 * request needs beyond the leased ones; null if it was allowed.
 */
export function decide(rate: Rate, level: Level, leased: number, lacking: number | null): Decision {
  const burst = burstOf(rate)
  const tokens = Math.min(rate.quota, level.tokens + leased)
  const burst_tokens = Math.min(burst.quota, level.burst_tokens + leased)
  const decision: Decision = {
    allowed: lacking === null,
    exhausted: null,
    remaining: Math.floor(tokens),
    reset_seconds: Math.ceil(secondsFor(rate, tokens, rate.quota)),
    burst_remaining: Math.floor(burst_tokens),
    burst_reset_seconds: Math.ceil(secondsFor(burst, burst_tokens, burst.quota)),
    retry_after_seconds: 0,
  }
  return lacking === null ? decision : refused(rate, level, lacking, decision)
}

/** The refusal. `retry_after_seconds` is at most one window, also for a cost that no bucket can hold. */
function refused(rate: Rate, level: Level, lacking: number, decision: Decision): Decision {
  const burst = burstOf(rate)
  const wait = Math.min(rate.window_seconds, secondsFor(rate, level.tokens, lacking))
  const burst_wait = Math.min(burst.window_seconds, secondsFor(burst, level.burst_tokens, lacking))
  const retry_after_seconds = Math.max(1, Math.ceil(Math.max(wait, burst_wait)))
  return wait >= burst_wait
    ? { ...decision, exhausted: 'quota', retry_after_seconds }
    : { ...decision, exhausted: 'burst', retry_after_seconds }
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** The window as people say it: `a minute`, `7 days`. */
export function windowInWords(seconds: number): string {
  const [length, unit] = UNITS.find(([length]) => seconds >= length && seconds % length === 0) ?? [
    1,
    'second',
  ]
  const count = seconds / length
  if (count === 1) return `${unit === 'hour' ? 'an' : 'a'} ${unit}`
  return `${count} ${unit}s`
}
