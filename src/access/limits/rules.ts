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
  /** What is left, as far as this process knows. */
  remaining: number
  /** Until the bucket is full again. */
  reset_seconds: number
  /** Until the same request can succeed; 0 where it was allowed. */
  retry_after_seconds: number
}

/** What a bucket holds. Without a burst both are the same. */
export interface Level {
  tokens: number
  burst_tokens: number
}

/** The most of the quota that one lease takes, and of the burst. */
const LOT_SHARE = 0.05
const BURST_LOT_SHARE = 0.25

/** The smaller bucket; without one, the bucket itself. */
export const burstOf = (rate: Rate): { quota: number; window_seconds: number } => rate.burst ?? rate

/** The most that one request can cost. */
export const capacity = (rate: Rate): number => Math.min(rate.quota, burstOf(rate).quota)

/** The level of a bucket that nobody has touched. */
export const full = (rate: Rate): Level => ({ tokens: rate.quota, burst_tokens: burstOf(rate).quota })

/** The most tokens that a lease takes beyond what its request needs. */
export const maxLot = (rate: Rate): number => {
  const lot = Math.min(rate.quota * LOT_SHARE, rate.burst ? rate.burst.quota * BURST_LOT_SHARE : rate.quota)
  return Math.max(1, Math.floor(lot))
}

/** The level after some seconds in which nobody took anything. */
export function refilled(rate: Rate, level: Level, seconds: number): Level {
  const burst = burstOf(rate)
  const elapsed = Math.max(0, seconds)
  return {
    tokens: Math.min(rate.quota, level.tokens + (elapsed * rate.quota) / rate.window_seconds),
    burst_tokens: Math.min(burst.quota, level.burst_tokens + (elapsed * burst.quota) / burst.window_seconds),
  }
}

/** Seconds until `cost` tokens can be there; 0 when they are. */
export function secondsUntil(rate: Rate, level: Level, cost: number): number {
  const burst = burstOf(rate)
  return Math.max(
    0,
    ((cost - level.tokens) * rate.window_seconds) / rate.quota,
    ((cost - level.burst_tokens) * burst.window_seconds) / burst.quota,
  )
}

/** Seconds until the bucket is full. */
const secondsUntilFull = (rate: Rate, tokens: number): number =>
  Math.ceil(((rate.quota - tokens) * rate.window_seconds) / rate.quota)

/** The answer to a request, from what the shared row holds and what is leased here. */
export function decide(rate: Rate, level: Level, leased: number, wait_seconds: number | null): Decision {
  const tokens = Math.min(rate.quota, level.tokens + leased)
  return {
    allowed: wait_seconds === null,
    remaining: Math.floor(tokens),
    reset_seconds: secondsUntilFull(rate, tokens),
    retry_after_seconds: wait_seconds === null ? 0 : Math.max(1, Math.ceil(wait_seconds)),
  }
}
