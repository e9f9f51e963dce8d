/** The state of the limits that apply to one call, in headers and errors. */
import { ApiError } from '../../errors.ts'
import { type Decision, type Rate, windowInWords } from './rules.ts'

/** A rate that callers are told of. */
export interface Limit extends Rate {
  /** Its name in the `RateLimit` headers. */
  item: string
  /** Its items in `RateLimit-Policy`, which never change. */
  policy: string
}

export type LimitScope = 'KEY' | 'USER' | 'TENANT' | 'IP' | 'OPERATION'

/** The decision of one limit on one call. */
export interface RateStanding {
  limit: Limit
  scope: LimitScope
  decision: Decision
}

/** The limit, with the items of its burst after its own. */
export function limitOf(item: string, rate: Rate): Limit {
  const { quota, window_seconds, burst } = rate
  const own = `"${item}";q=${quota};w=${window_seconds}`
  const policy = burst ? `${own}, "${item}-burst";q=${burst.quota};w=${burst.window_seconds}` : own
  return { ...rate, item, policy }
}

/** The `t` of an exhausted bucket is the `Retry-After` of its refusal. */
function stateOf({ limit, decision }: RateStanding): string {
  const { item, burst } = limit
  const { exhausted, retry_after_seconds } = decision
  const t = exhausted === 'quota' ? retry_after_seconds : decision.reset_seconds
  const own = `"${item}";r=${decision.remaining};t=${t}`
  if (!burst) return own
  const burst_t = exhausted === 'burst' ? retry_after_seconds : decision.burst_reset_seconds
  return `${own}, "${item}-burst";r=${decision.burst_remaining};t=${burst_t}`
}

/** The decisions of the limits of one call, in the order in which they were asked. */
export class RateLimitState {
  private readonly standings: RateStanding[] = []
  private readonly uncharged: () => RateStanding

  /** `uncharged` is the limit that the headers tell of a call that no limit has counted. */
  constructor(uncharged: () => RateStanding) {
    this.uncharged = uncharged
  }

  /** The latest word of a limit holds. */
  add(standing: RateStanding): void {
    const place = this.standings.findIndex(({ limit }) => limit === standing.limit)
    if (place === -1) this.standings.push(standing)
    else this.standings[place] = standing
  }

  /** `RateLimit-Policy` and `RateLimit`, in the syntax of the current IETF draft: an item for each limit. */
  headers(): { 'RateLimit-Policy': string; RateLimit: string } {
    const all = this.standings.length > 0 ? this.standings : [this.uncharged()]
    let policy = ''
    let state = ''
    for (const standing of all) {
      const separator = policy === '' ? '' : ', '
      policy += separator + standing.limit.policy
      state += separator + stateOf(standing)
    }
    return { 'RateLimit-Policy': policy, RateLimit: state }
  }
}

/** One limit as callers read it: the burst of a limit is a limit of its own. */
export interface NamedStanding {
  name: string
  limit: number
  window_seconds: number
  remaining: number
  reset_seconds: number
}

const burstName = ({ name }: Rate): string => `${name}_burst`

/** The limit and its burst, each by its name. */
export function namedStandings({ limit, decision }: RateStanding): NamedStanding[] {
  const { name, quota, window_seconds, burst } = limit
  const { remaining, reset_seconds, burst_remaining, burst_reset_seconds } = decision
  const own = { name, limit: quota, window_seconds, remaining, reset_seconds }
  if (!burst) return [own]
  const smaller = {
    name: burstName(limit),
    limit: burst.quota,
    window_seconds: burst.window_seconds,
    remaining: burst_remaining,
    reset_seconds: burst_reset_seconds,
  }
  return [own, smaller]
}

/** 429 that names the limit that is used up and says when to come back. Every 429 is made here. */
export function rateLimited({ limit, scope, decision }: RateStanding, now: Date, reason = ''): ApiError {
  const { retry_after_seconds } = decision
  const isBurst = decision.exhausted === 'burst' && limit.burst !== undefined
  const { quota, window_seconds } = isBurst ? (limit.burst ?? limit) : limit
  const name = isBurst ? burstName(limit) : limit.name
  const resets_at = new Date(now.getTime() + retry_after_seconds * 1000).toISOString()
  return new ApiError('rate_limited', {
    message: `${reason}The limit ${name}, ${quota} in ${windowInWords(window_seconds)}, is used up.`,
    details: { name, limit: quota, window_seconds, retry_after_seconds, scope, resets_at },
    headers: { 'Retry-After': String(retry_after_seconds) },
  })
}
