/** Whether a call may go ahead: access first, then limits. The same for both interfaces. */
import type { Decision, Rate } from '../access/limits/rules.ts'
import { refusal } from '../access/policies.ts'
import type { Viewer } from '../access/viewer.ts'
import { ApiError } from '../errors.ts'
import type { Context, Services } from './context.ts'
import type { Operation } from './operation.ts'

/** 401 and 403 of the first operation that refuses the viewer. */
export function authorize(operations: readonly Operation[], viewer: Viewer | null): void {
  for (const { access } of operations) {
    const refused = refusal(access, viewer)
    if (refused) throw refused
  }
}

type LimitName = keyof Services['limits']
export type LimitScope = 'KEY' | 'USER' | 'TENANT' | 'IP' | 'OPERATION'

/** What one limit said, as the `RateLimit` headers report it. */
export interface RateStanding {
  /** Whom the limit counts. */
  scope: LimitScope
  limit: number
  window_seconds: number
  decision: Decision
}

export interface NamedStanding extends RateStanding {
  name: string
}

/** What a limit said to one taker. */
export const standingOf = (scope: LimitScope, rate: Rate, decision: Decision): RateStanding => ({
  scope,
  limit: rate.quota,
  window_seconds: rate.window_seconds,
  decision,
})

/** `RateLimit-Policy` and `RateLimit`, in the syntax of the current IETF draft. */
export const rateHeaders = ({
  scope,
  limit,
  window_seconds,
  decision,
}: Omit<RateStanding, 'decision'> & {
  decision: Pick<Decision, 'remaining' | 'reset_seconds'>
}) => {
  const policy = scope.toLowerCase()
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};w=${window_seconds}`,
    RateLimit: `"${policy}";r=${decision.remaining};t=${decision.reset_seconds}`,
  }
}

/** 429 with what the caller needs to come back at the right time; its headers report the limit that is used up. */
export function rateLimited(standing: RateStanding, now: Date): ApiError {
  const { scope, limit, window_seconds, decision } = standing
  const { retry_after_seconds } = decision
  const resets_at = new Date(now.getTime() + retry_after_seconds * 1000).toISOString()
  return new ApiError('rate_limited', {
    message: `The limit of ${limit} in ${window_seconds} seconds is used up.`,
    details: { limit, window_seconds, retry_after_seconds, scope, resets_at },
    headers: { 'Retry-After': String(retry_after_seconds), ...rateHeaders(standing) },
  })
}

interface Charge {
  limit: LimitName
  scope: LimitScope
  cost: number
}

/** What a request takes from the limits. */
export interface Demand {
  viewer: Viewer | null
  ip: string
  calls: 0 | 1
  writes: number
  points: number
}

/** The buckets it takes from; the first is the one that the headers report. */
function charges({ viewer, calls, writes, points }: Demand): Charge[] {
  if (!viewer) return calls ? [{ limit: 'anonymous_ip', scope: 'IP', cost: 1 }] : []
  const isKey = viewer.type === 'API_KEY'
  const scope = isKey ? 'KEY' : 'USER'
  const all: Charge[] = [
    { limit: isKey ? 'service_key' : 'dashboard_user', scope, cost: calls },
    { limit: 'service_key_writes', scope, cost: isKey ? writes : 0 },
    { limit: 'tenant', scope: 'TENANT', cost: calls },
    { limit: 'graphql_points', scope, cost: points },
  ]
  return all.filter(({ cost }) => cost > 0)
}

function ownerOf(scope: LimitScope, viewer: Viewer | null, ip: string): string {
  if (!viewer || scope === 'IP') return ip
  return scope === 'TENANT' ? viewer.tenant_id : `${viewer.tenant_id}:${viewer.environment}:${viewer.id}`
}

/** Takes what is demanded from every limit it counts against; 429 when one is used up. */
export async function charge(
  services: Pick<Services, 'limits' | 'limiter' | 'now'>,
  demand: Demand,
): Promise<RateStanding | null> {
  let reported: RateStanding | null = null
  for (const { limit, scope, cost } of charges(demand)) {
    const rate = services.limits[limit]
    const taken = services.limiter.take(rate, ownerOf(scope, demand.viewer, demand.ip), cost)
    const decision = taken instanceof Promise ? await taken : taken
    const standing = standingOf(scope, rate, decision)
    reported ??= standing
    if (!decision.allowed) throw rateLimited(standing, services.now())
  }
  return reported
}

/** How the caller stands with every limit that counts what they do, operations' own ones included. */
export async function standings(ctx: Context, viewer: Viewer): Promise<NamedStanding[]> {
  const { limits, limiter, operations } = ctx.services
  const general = charges({ viewer, ip: '', calls: 1, writes: 1, points: 1 }).map(
    ({ limit: name, scope }) => {
      const rate = limits[name]
      return { name, ...standingOf(scope, rate, limiter.peek(rate, ownerOf(scope, viewer, ''))) }
    },
  )
  const own = operations().flatMap(({ limit }) => (limit ? [limit(ctx)] : []))
  return [...general, ...(await Promise.all(own))]
}
