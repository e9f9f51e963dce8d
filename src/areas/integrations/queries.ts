/** The SQL of requests for integrations. */
import { type DatabaseContext, sql, tenantWide } from '../../db/db.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import type { Row } from '../../schema/models.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { REQUEST_EVENTS } from './events.ts'
import { IntegrationRequest } from './integration-request.ts'
import { REQUESTS } from './rules.ts'

export const INTEGRATION_REQUEST = defineTable<Row<'IntegrationRequest'>>()('IntegrationRequest', {
  alias: 'r',
  noun: 'integration_request',
  type: IntegrationRequest,
  argument: 'request_id',
  description: 'The `id` of the request.',
  // Contract silent: a request that does not exist has a code of its own, as every resource has.
  not_found: 'integration_request_not_found',
  prefix: 'irq',
  title: ({ vendor_name }) => vendor_name,
  // The service’s team sets the status and the file.
  etag: ({ revision, status, has_spec_file }) => etagOf(revision, [status, has_spec_file]),
  events: (_verb, { id: request_id, vendor_name, status }, before) =>
    before && before.status !== status
      ? [REQUEST_EVENTS.request_updated({ request_id, vendor_name, status })]
      : [],
})

export const INTEGRATION_REQUESTS = INTEGRATION_REQUEST.list({
  name: 'integration_requests',
  filters: {
    status: INTEGRATION_REQUEST.by.isOneOf('status', 'Only requests with one of these statuses'),
    access: INTEGRATION_REQUEST.by.is('access', 'Only requests for this access.'),
  },
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
