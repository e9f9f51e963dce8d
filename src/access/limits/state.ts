/** The state of the limits that apply to one call, in headers and errors. */
import { ApiError } from '../../errors/errors.ts'
import { type Decision, type Rate, windowInWords } from './rules.ts'

/** A rate with its name and policy in the `RateLimit` headers. */
export interface Limit extends Rate {
  /** Its name in the `RateLimit` headers. */
  item: string
  /** Its items in `RateLimit-Policy`, which never change. */
  policy: string
}

export type LimitScope = 'KEY' | 'USER' | 'TENANT' | 'CONNECTION' | 'IP' | 'OPERATION'

/** The decision of one limit on one call. */
export interface RateLimitStatus {
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
function stateOf({ limit, decision }: RateLimitStatus): string {
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
  private readonly statuses: RateLimitStatus[] = []
  private readonly uncharged: () => RateLimitStatus

  /** `uncharged` is the status in the headers of a call that no limit has counted. */
  constructor(uncharged: () => RateLimitStatus) {
    this.uncharged = uncharged
  }

  /** A later status of a limit replaces the earlier one. */
  add(status: RateLimitStatus): void {
    const place = this.statuses.findIndex(({ limit }) => limit === status.limit)
    if (place === -1) this.statuses.push(status)
    else this.statuses[place] = status
  }

  /** Remembers the decisions; the result puts them back. */
  snapshot(): () => void {
    const statuses = [...this.statuses]
    return () => {
      this.statuses.splice(0, Number.POSITIVE_INFINITY, ...statuses)
    }
  }

  /** `RateLimit-Policy` and `RateLimit`, in the syntax of the current IETF draft: an item for each limit. */
  headers(): { 'RateLimit-Policy': string; RateLimit: string } {
    const all = this.statuses.length > 0 ? this.statuses : [this.uncharged()]
    let policy = ''
    let state = ''
    for (const status of all) {
      const separator = policy === '' ? '' : ', '
      policy += separator + status.limit.policy
      state += separator + stateOf(status)
    }
    return { 'RateLimit-Policy': policy, RateLimit: state }
  }
}

/** One limit as callers read it: the burst of a limit is a limit of its own. */
export interface NamedLimitStatus {
  name: string
  limit: number
  window_seconds: number
  remaining: number
  reset_seconds: number
}

const burstName = ({ name }: Rate): string => `${name}_burst`

/** The limit and its burst, each by its name. */
export function namedStatuses({ limit, decision }: RateLimitStatus): NamedLimitStatus[] {
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

/** 429 that names the limit that is used up and says when to come back. */
export function rateLimited({ limit, scope, decision }: RateLimitStatus, now: Date, reason = ''): ApiError {
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

/** 429 for work of which only so much is done at the same time. */
export const tooManyAtOnce = (
  name: string,
  limit: number,
  retry_after_seconds: number,
  scope: LimitScope = 'TENANT',
): ApiError =>
  new ApiError('rate_limited', {
    message: `The limit ${name}, ${limit} at the same time, is used up.`,
    details: { name, limit, retry_after_seconds, scope },
    headers: { 'Retry-After': String(retry_after_seconds) },
  })
