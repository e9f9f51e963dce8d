/** Rate limits over all processes: a process leases tokens from a shared row, and spends them without a statement. */
import { isDiskFull } from '../../db/errors.ts'
import type { Sql } from '../../db/sql.ts'
import { deleteFull, type Lease, lease, type ReturnedTokens, returnTokens } from './rows.ts'
import {
  burstOf,
  capacity,
  type Decision,
  decide,
  fullLevel,
  type Level,
  maxLease,
  type Rate,
  refilled,
  secondsUntilTokens,
} from './rules.ts'

interface LimiterOptions {
  sql: Sql
  /** Rates whose full buckets the sweep deletes, also if this process has not used them. */
  rates?: readonly Rate[]
  /** Milliseconds that never go back, for what passes in this process. */
  elapsed?: () => number
  /** The prefix of every key, if several limiters share a table. */
  prefix?: string
  /** The clock that refills the shared rows; by default, the database's clock. */
  now?: () => Date
}

export interface Limiter {
  /** Takes `cost` tokens of the key's bucket, at once if this process holds them. Rejects in an outage. */
  take(rate: Rate, key: string, cost?: number): Decision | Promise<Decision>
  /** Takes tokens of the shared bucket, at least `need` and at most `wanted` or none, so that `left` stay there. */
  takeShared(rate: Rate, key: string, wish: SharedWish, by?: Sql): Promise<Shared>
  /** Puts tokens back into the shared bucket. */
  returnShared(rate: Rate, key: string, tokens: number): Promise<void>
  /** The decision on one more token, as far as this process knows; takes nothing. */
  peek(rate: Rate, key: string): Decision
  /** Puts back what was taken, for the next request of this process. */
  refund(rate: Rate, key: string, cost?: number): void
  /** Gives every unused token back. */
  release(): Promise<void>
  /** Gives back what leases no longer need, and deletes the rows of buckets that are full. */
  sweep(): Promise<void>
}

interface SharedWish {
  need: number
  wanted: number
  left: number
}

interface Shared {
  taken: number
  /** Until as many as were needed are there; 0 if all that were wanted were taken. */
  wait_seconds: number
}

/** The state of one bucket in this process. */
interface LocalBucket {
  id: string
  rate: Rate
  /** Tokens that are leased and not used yet. */
  tokens: number
  /** Of the latest lease: the tokens it left here, and the instant at which they are returned. */
  leased: number
  expires_at: number
  /** The number of tokens that the next lease asks for. */
  lot: number
  /** The tokens that callers wait for while a lease is taken. */
  waiting: number
  /** The level of the row at `known_at`. */
  level: Level
  known_at: number
  leasing: Promise<void> | null
}

const LEASE_MS = 10_000
const CHECK_MS = 5000

/** Limits over the table `rate_bucket`. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { sql, rates = [], prefix = '', elapsed = () => performance.now(), now } = options
  const buckets = new Map<string, LocalBucket>()
  const idle_seconds = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const sharedNow = () => now?.() ?? null

  /** Stores the time without requests after which every bucket of the rate is full. */
  const trackIdleTime = (rate: Rate): void => {
    const seconds = Math.max(rate.window_seconds, burstOf(rate).window_seconds) + 1
    idle_seconds.set(`${prefix}${rate.name}:`, seconds)
  }
  rates.forEach(trackIdleTime)

  const newBucket = (id: string, rate: Rate): LocalBucket => {
    const at = elapsed()
    const nothing = { tokens: 0, leased: 0, lot: 1, waiting: 0, leasing: null }
    const held: LocalBucket = {
      id,
      rate,
      ...nothing,
      level: fullLevel(rate),
      known_at: at,
      expires_at: at + LEASE_MS,
    }
    buckets.set(id, held)
    trackIdleTime(rate)
    return held
  }

  // Contract silent: on a full disk each process counts for itself, so that reads are answered.
  const leaseHere = ({ rate, level, known_at }: LocalBucket, want: number): Lease => {
    const { tokens, burst_tokens } = refilled(rate, level, (elapsed() - known_at) / 1000)
    const granted = Math.floor(Math.min(want, tokens, burst_tokens))
    return { granted, tokens: tokens - granted, burst_tokens: burst_tokens - granted }
  }

  const renew = async (held: LocalBucket, cost: number): Promise<void> => {
    const need = cost - held.tokens
    // Tokens that callers wait for are used at once, so they may be more than a lot.
    const ahead = Math.min(held.lot, maxLease(held.rate))
    const want = Math.min(capacity(held.rate), Math.max(need, held.waiting - held.tokens, ahead))
    const { granted, ...level } = await lease(sql, held.id, held.rate, {
      need,
      want,
      now: sharedNow(),
    }).catch((error: unknown) => {
      if (isDiskFull(error)) return leaseHere(held, want)
      throw error
    })
    held.tokens += granted
    held.leased = held.tokens
    held.lot = Math.min(want * 2, maxLease(held.rate))
    held.level = level
    held.known_at = elapsed()
    held.expires_at = held.known_at + LEASE_MS
  }

  /** The decision from the leased tokens; null if a lease is needed. */
  const decideHere = (held: LocalBucket, cost: number): Decision | null => {
    const { rate } = held
    const level = refilled(rate, held.level, (elapsed() - held.known_at) / 1000)
    if (held.tokens >= cost) {
      held.tokens -= cost
      return decide(rate, level, held.tokens, null)
    }
    const lacking = cost - held.tokens
    const mustWait = secondsUntilTokens(rate, level, lacking) > 0
    return mustWait && !held.leasing ? decide(rate, level, held.tokens, lacking) : null
  }

  const decideAfterLease = async (held: LocalBucket, cost: number): Promise<Decision> => {
    held.waiting += cost
    try {
      for (;;) {
        held.leasing ??= renew(held, cost).finally(() => {
          held.leasing = null
        })
        await held.leasing
        const decision = decideHere(held, cost)
        if (decision) return decision
      }
    } finally {
      held.waiting -= cost
    }
  }

  /** Takes the unused tokens out of expired leases. The next lot is as large as the use of the last one. */
  const takeExpired = (): ReturnedTokens[] => {
    const unused: ReturnedTokens[] = []
    for (const held of buckets.values()) {
      if (held.leasing || elapsed() < held.expires_at) continue
      const { id, rate, tokens, leased } = held
      if (tokens > 0) unused.push({ id, rate, tokens })
      if (tokens === leased) buckets.delete(id)
      held.lot = Math.max(1, leased - tokens)
      held.level = { tokens: held.level.tokens + tokens, burst_tokens: held.level.burst_tokens + tokens }
      held.tokens = 0
      held.leased = 0
    }
    return unused
  }

  const returnExpired = async (): Promise<void> => {
    await returnTokens(sql, takeExpired(), sharedNow())
  }

  const schedule = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      // Tokens that a failure did not return are refilled with time.
      returnExpired().catch(() => {})
      if (buckets.size > 0) schedule()
    }, CHECK_MS).unref()
  }

  return {
    take: (rate, key, cost = 1) => {
      const id = `${prefix}${rate.name}:${key}`
      if (cost > capacity(rate)) return decide(rate, fullLevel(rate), 0, Number.POSITIVE_INFINITY)
      const held = buckets.get(id) ?? newBucket(id, rate)
      schedule()
      return decideHere(held, cost) ?? decideAfterLease(held, cost)
    },
    takeShared: async (rate, key, { need, wanted, left }, by = sql) => {
      trackIdleTime(rate)
      const id = `${prefix}${rate.name}:${key}`
      const { granted, ...level } = await lease(by, id, rate, { need, want: wanted, left, now: sharedNow() })
      const lacks = granted < wanted
      return { taken: granted, wait_seconds: lacks ? secondsUntilTokens(rate, level, need + left) : 0 }
    },
    returnShared: (rate, key, tokens) =>
      returnTokens(sql, [{ id: `${prefix}${rate.name}:${key}`, rate, tokens }], sharedNow()),
    peek: (rate, key) => {
      const held = buckets.get(`${prefix}${rate.name}:${key}`)
      if (!held) return decide(rate, fullLevel(rate), 0, null)
      const level = refilled(rate, held.level, (elapsed() - held.known_at) / 1000)
      const mustWait = held.tokens < 1 && secondsUntilTokens(rate, level, 1 - held.tokens) > 0
      return decide(rate, level, held.tokens, mustWait ? 1 - held.tokens : null)
    },
    refund: (rate, key, cost = 1) => {
      const held = buckets.get(`${prefix}${rate.name}:${key}`)
      if (held) held.tokens += cost
    },
    release: async () => {
      clearTimeout(timer)
      timer = undefined
      await Promise.allSettled([...buckets.values()].map(({ leasing }) => leasing))
      const unused = [...buckets.values()].filter(({ tokens }) => tokens > 0)
      buckets.clear()
      await returnTokens(sql, unused, sharedNow())
    },
    sweep: async () => {
      await returnExpired()
      await deleteFull(sql, idle_seconds, sharedNow())
    },
  }
}
