/** The review of integration requests by the team of the service, who are the operator here. */
import type { Sql } from '../../db/sql.ts'
import { statement } from '../../db/sql.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { change } from '../../schema/changes/change.ts'
import type { Row } from '../../schema/models.ts'
import { INTEGRATION_REQUEST } from './queries.ts'

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

/** Stores the status; false if the request has it already, or is not there. */
export async function setRequestStatus(
  ctx: MutationContext,
  id: string,
  status: IntegrationRequestStatus,
): Promise<boolean> {
  const request = await INTEGRATION_REQUEST.lockIfThere(ctx, id)
  if (!request) return false
  await change(ctx, INTEGRATION_REQUEST, request, { verb: 'reviewed', decide: () => ({ status }) })
  return ctx.outcome === 'RECORDED'
}
