/** The SQL of requests for integrations. */
import { type DatabaseContext, sql, tenantWide } from '../../db/db.ts'
import { descending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { recordedInsert } from '../../gateway/activity.ts'
import { anyOf, defineList } from '../../schema/lists/list.ts'
import type { Row } from '../../schema/models.ts'
import { IntegrationAccess, IntegrationRequestStatus } from './integration-request.ts'
import { REQUESTS } from './rules.ts'

export const INTEGRATION_REQUESTS = defineList<Row<'IntegrationRequest'>>()({
  name: 'integration_requests',
  from: 'integration_request r',
  columns: projection('IntegrationRequest', 'r', { always: ['id'] }),
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  filters: {
    status: {
      type: [IntegrationRequestStatus],
      min_items: 1,
      description: 'Only requests with one of these statuses: separated by commas, or repeated.',
      where: anyOf('r.status', 'integration_request_status'),
    },
    access: {
      type: IntegrationAccess,
      description: 'Only requests for this access.',
      where: 'r.access = ?::text::integration_access',
    },
  },
})

/** Stores a request with its activity. */
export const INSERT_REQUEST = recordedInsert('integrations.request', 'IntegrationRequest', {
  columns: [
    ...(['id', 'vendor_name', 'use_case', 'docs_url', 'access', 'can_share_test_key'] as const),
    ...(['requested_by_name', 'created_at'] as const),
  ],
  returning: 'row',
})

const LATEST = tenantWide(
  'integrations.latest_requests',
  `select created_at from integration_request where tenant_id = $1 order by created_at desc limit $2::int`,
)

/** The instants of the tenant's latest requests, in all environments; at most as many as the limit allows. */
export async function latestRequests(ctx: DatabaseContext): Promise<Date[]> {
  const rows = await sql<Pick<Row<'IntegrationRequest'>, 'created_at'>>(ctx, LATEST, [REQUESTS.quota])
  return rows.map(({ created_at }) => created_at)
}
