/** How many requests for integrations the tenant has sent lately, over all its environments. */
import type { RateLimitStatus } from '../../access/limits/state.ts'
import { type DatabaseContext, sql, tenantWide } from '../../db/db.ts'
import { REQUESTS, standingOf } from './rules.ts'

const LATEST = tenantWide(
  'integrations.latest_requests',
  `select created_at from integration_request where tenant_id = $1 order by created_at desc limit $2::int`,
)

/** When the tenant sent its latest requests, as many as the limit at most. */
export async function latestRequests(ctx: DatabaseContext): Promise<Date[]> {
  const rows = await sql<{ created_at: Date }>(ctx, LATEST, [REQUESTS.quota])
  return rows.map(({ created_at }) => created_at)
}

/** The state of the limit for a tenant that sent these requests. */
export const standingAfter = (accepted: readonly Date[], now: Date): RateLimitStatus => ({
  limit: REQUESTS,
  scope: 'TENANT',
  decision: standingOf(accepted, now),
})

/** How the tenant stands with the limit. */
export const requestStanding = async (ctx: DatabaseContext & { now: Date }): Promise<RateLimitStatus> =>
  standingAfter(await latestRequests(ctx), ctx.now)
