/** The review of integration requests by the team of the service, who are the operator here. */
import { scoped, sql } from '../../db/db.ts'
import type { Sql } from '../../db/sql.ts'
import { statement } from '../../db/sql.ts'
import { recordedWrite, writeRecorded } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import type { Row } from '../../schema/models.ts'

export type IntegrationRequestStatus = Row<'IntegrationRequest'>['status']

export const REQUEST_STATUSES = [
  'RECEIVED',
  'UNDER_REVIEW',
  'PLANNED',
  'DECLINED',
  'DELIVERED',
] as const satisfies readonly IntegrationRequestStatus[]

export type RequestOfTenant = Pick<
  Row<'IntegrationRequest'>,
  'id' | 'vendor_name' | 'use_case' | 'docs_url' | 'access' | 'status' | 'created_at'
> & { tenant_id: string }

const OF_ALL = statement(
  'integrations.requests_of_all',
  `select tenant_id, id, vendor_name, use_case, docs_url, access, status, created_at from integration_request
   where environment = $1 order by created_at desc, id desc`,
)

/** The requests of every tenant, the newest first. */
export const requestsOfAll = (database: Sql, environment: string): Promise<RequestOfTenant[]> =>
  database.rows<RequestOfTenant>(OF_ALL, [environment])

const LOCK = scoped(
  'integrations.lock_request',
  `select status, vendor_name from integration_request
   where tenant_id = $1 and environment = $2 and id = $3::text for update`,
)

const SET = recordedWrite(
  'integrations.set_request_status',
  `update integration_request set status = $4::text::integration_request_status, revision = revision + 1
   where tenant_id = $1 and environment = $2 and id = $3::text returning id`,
)

/** Stores the status; false if the request has it already, or is not there. */
export async function setRequestStatus(
  ctx: MutationContext,
  id: string,
  status: IntegrationRequestStatus,
): Promise<boolean> {
  const [before] = await sql<Pick<RequestOfTenant, 'status' | 'vendor_name'>>(ctx, LOCK, [id])
  if (!before || before.status === status) {
    ctx.outcome = 'UNCHANGED'
    return false
  }
  await writeRecorded(ctx, SET, [id, status], {
    action: 'integration_request.reviewed',
    targets: [{ type: 'integration_request', id, name: before.vendor_name }],
    before: { status: before.status },
    after: { status },
  })
  return true
}
