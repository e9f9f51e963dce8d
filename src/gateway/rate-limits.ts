/** The rate limits of a viewer's calls. */
import type { LimitDeclaration, Limits } from '../access/limits/catalogue.ts'
import type { Decision } from '../access/limits/rules.ts'
import {
  type Limit,
  type LimitScope,
  type NamedLimitStatus,
  namedStatuses,
  type RateLimitState,
  type RateLimitStatus,
  rateLimited,
} from '../access/limits/state.ts'
import type { Viewer } from '../access/viewer.ts'
import type { Context, Services } from './context.ts'
import { withDeadline } from './deadline.ts'
import type { Operation } from './operation.ts'

/** The cost of a request, by the kinds of limits that count it. */
export interface Demand {
  calls: number
  writes: number
  points: number
  /** The operations whose own limits count it. */
  operations: readonly Pick<Operation, 'rate'>[]
}

interface Charge {
  limit: LimitDeclaration
  scope: LimitScope
  cost: number
}

/** The limits that count the demand, in the order in which they are asked: the viewer's, then those of operations. */
function chargesOf({ kind }: Viewer, demand: Demand): Charge[] {
  const charges: Charge[] = []
  for (const { limit, scope, counts } of kind.limits)
    if (demand[counts] > 0) charges.push({ limit, scope, cost: demand[counts] })
  for (const { rate } of demand.operations)
    if (rate) charges.push({ limit: rate, scope: 'OPERATION', cost: 1 })
  return charges
}

/** The declared limit as it is configured. */
function configured(limits: Limits, { name }: LimitDeclaration): Limit {
  const limit = limits[name]
  if (!limit) throw new Error(`The limit ${name} is in no list of limits that the service was made with`)
  return limit
}

const credentialOf = ({ tenant_id, environment, id }: Viewer): string => `${tenant_id}:${environment}:${id}`

type LimitServices = Pick<Services, 'limits' | 'limiter' | 'now'>

/**
 * Takes the demand from every limit that counts it; 429 when one is used up. `state` gets all their statuses. A limit
 * without a lease in this process waits for the database, no longer than `timeout_ms`.
 */
export async function charge(
  services: LimitServices,
  state: RateLimitState,
  viewer: Viewer,
  demand: Demand,
  timeout_ms: number,
): Promise<void> {
  const { limits, limiter, now } = services
  const credential = credentialOf(viewer)
  let exhausted: RateLimitStatus | null = null
  for (const { limit: declared, scope, cost } of chargesOf(viewer, demand)) {
    const limit = configured(limits, declared)
    const owner = scope === 'TENANT' ? viewer.tenant_id : credential
    const taken: Decision | Promise<Decision> = exhausted
      ? limiter.peek(limit, owner)
      : limiter.take(limit, owner, cost)
    const decision = taken instanceof Promise ? await withDeadline(timeout_ms, taken) : taken
    const status: RateLimitStatus = { limit, scope, decision }
    state.add(status)
    if (!status.decision.allowed) exhausted ??= status
  }
  if (exhausted) throw rateLimited(exhausted, now())
}

/** The caller's status with the limit of an operation. */
const peekedRate = (
  { limits, limiter }: LimitServices,
  rate: LimitDeclaration,
  credential: string,
): RateLimitStatus => {
  const limit = configured(limits, rate)
  return { limit, scope: 'OPERATION', decision: limiter.peek(limit, credential) }
}

/** The caller's status with every limit on their calls, operations' own limits included. */
export async function limitsOf(ctx: Context, viewer: Viewer): Promise<NamedLimitStatus[]> {
  const { limits, limiter, operations } = ctx.services
  const credential = credentialOf(viewer)
  const general = viewer.kind.limits.map(({ limit: declared, scope }) => {
    const limit = configured(limits, declared)
    return { limit, scope, decision: limiter.peek(limit, scope === 'TENANT' ? viewer.tenant_id : credential) }
  })
  const own = operations().flatMap(({ rate, limit }) => [
    ...(rate ? [peekedRate(ctx.services, rate, credential)] : []),
    ...(limit ? [limit(ctx)] : []),
  ])
  return [...general, ...(await Promise.all(own))].flatMap(namedStatuses)
}
