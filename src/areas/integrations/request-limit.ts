/** The limit on requests for integrations, over all environments of a tenant. */
import type { RateLimitStatus } from '../../access/limits/state.ts'
import type { DatabaseContext } from '../../db/db.ts'
import { latestRequests } from './queries.ts'
import { limitDecision, REQUESTS } from './rules.ts'

/** The state of the limit for a tenant that sent these requests. */
export const limitStatusAfter = (accepted: readonly Date[], now: Date): RateLimitStatus => ({
  limit: REQUESTS,
  scope: 'TENANT',
  decision: limitDecision(accepted, now),
})

/** The tenant’s status with the limit. */
export const requestLimitStatus = async (ctx: DatabaseContext & { now: Date }): Promise<RateLimitStatus> =>
  limitStatusAfter(await latestRequests(ctx), ctx.now)
