/** Requests for integrations that the service does not have, as callers see them. */
import { scope } from '../../access/policies.ts'
import { scoped, sql } from '../../db/db.ts'
import { found } from '../../errors.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { page, pageArgs, pageType } from '../../schema/page.ts'
import { Id } from '../../schema/scalars.ts'
import { area } from './area.ts'

export const IntegrationAccess = builder.enumType('IntegrationAccess', {
  description: 'What agents do with a vendor.',
  values: {
    READ_ONLY: { description: 'Agents only read from the vendor.' },
    READ_WRITE: { description: 'Agents must also change things there.' },
  },
})

const IntegrationRequestStatus = builder.enumType('IntegrationRequestStatus', {
  description: 'What has become of a request.',
  values: {
    RECEIVED: { description: 'Nobody has looked at it yet.' },
    UNDER_REVIEW: { description: 'The service’s team is looking at it.' },
    PLANNED: { description: 'The integration will be made.' },
    DECLINED: { description: 'The integration will not be made.' },
    DELIVERED: { description: 'The integration is there.' },
  },
})

export interface RequestRow {
  id: string
  vendor_name: string
  use_case: string
  docs_url: string | null
  access: (typeof IntegrationAccess)['$inferType']
  can_share_test_key: boolean
  has_spec_file: boolean
  requested_by_name: string
  status: (typeof IntegrationRequestStatus)['$inferType']
  revision: number
  created_at: Date
}

export const IntegrationRequest = builder.objectRef<RequestRow>('IntegrationRequest').implement({
  description: 'A wish for a native integration with a vendor. The service’s team reviews every one.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Opaque identifier.' }),
    vendor_name: t.exposeString('vendor_name', { description: 'Vendor or product to integrate with.' }),
    use_case: t.exposeString('use_case', {
      description: 'What the MSP wants the agents to do with the vendor, in their own words.',
    }),
    docs_url: t.exposeString('docs_url', {
      nullable: true,
      description: 'Link to the vendor’s API documentation. null: not known.',
    }),
    access: t.expose('access', { type: IntegrationAccess, description: 'What agents would do there.' }),
    can_share_test_key: t.exposeBoolean('can_share_test_key', {
      description: 'Whether the MSP can give a test API key when asked.',
    }),
    has_spec_file: t.exposeBoolean('has_spec_file', {
      description:
        'Whether a description of the vendor’s API came with the request: never, through this API.',
    }),
    requested_by_name: t.exposeString('requested_by_name', {
      description: 'The user who asked, in person or through a key; else the key.',
    }),
    status: t.expose('status', { type: IntegrationRequestStatus, description: 'What has become of it.' }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was sent.' }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})

/** The service’s team sets these. */
export const requestEtag = ({ revision, status, has_spec_file }: RequestRow): string =>
  etagOf(revision, [status, has_spec_file])

const SELECT = `select id, vendor_name, use_case, docs_url, access::text as access, can_share_test_key, has_spec_file,
    requested_by_name, status::text as status, revision, created_at
  from integration_request where tenant_id = $1 and environment = $2`

const list = (name: string, after: string) =>
  scoped(
    name,
    `${SELECT} ${after}
     order by created_at desc, id desc limit $3::int`,
  )

const FIRST = list('integrations.requests', '')
const NEXT = list('integrations.requests_after', 'and (created_at, id) < ($4::timestamptz, $5::text)')

area.query('integration_requests', (t) =>
  t.field({
    type: pageType<RequestRow>('IntegrationRequest', IntegrationRequest),
    description: 'Lists the requests that were sent from this environment, the latest first.',
    rest: { method: 'GET', path: '/integrations/requests' },
    access: scope('integrations:read'),
    args: { ...pageArgs },
    resolve: (_root, args, ctx) =>
      page(
        ctx,
        'integration_requests',
        args,
        (after, limit) => sql<RequestRow>(ctx, after ? NEXT : FIRST, [limit, ...(after ?? [])]),
        ({ created_at, id }) => [created_at.toISOString(), id],
      ),
  }),
)

const BY_ID = scoped('integrations.request', `${SELECT} and id = $3::text`)

area.query('integration_request', (t) =>
  t.field({
    type: IntegrationRequest,
    description: 'Gets a request that was sent from this environment.',
    rest: { method: 'GET', path: '/integrations/requests/{request_id}' },
    access: scope('integrations:read'),
    errors: ['integration_request_not_found'],
    etag: requestEtag,
    args: { request_id: t.arg({ type: Id, required: true, description: 'The `id` of the request.' }) },
    resolve: async (_root, { request_id }, ctx) => {
      const [request] = await sql<RequestRow>(ctx, BY_ID, [request_id])
      // Contract silent: a request that does not exist has a code of its own, as every resource has.
      return found(request, 'integration_request_not_found', request_id)
    },
  }),
)
