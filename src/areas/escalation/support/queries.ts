/** The table of support requests, and their list. */

import { restrictedUser } from '../../../access/policies/visibility.ts'
import { callerOf } from '../../../access/viewer.ts'
import { type Sql, statement } from '../../../db/sql.ts'
import type { Context, MutationContext } from '../../../gateway/context.ts'
import { searchable } from '../../../lib/like-pattern.ts'
import { change } from '../../../schema/changes/change.ts'
import { searchFor } from '../../../schema/lists/list.ts'
import { defineTable } from '../../../schema/tables/table.ts'
import { ofSeenExecution } from '../../executions/index.ts'
import { SupportRequest, type SupportRequestRow } from './support-request.ts'

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

/** Requests about an execution are seen as the execution is. */
export const SUPPORT_REQUEST = defineTable<SupportRequestRow>()('SupportRequest', {
  alias: 's',
  noun: 'support_request',
  type: SupportRequest,
  argument: 'support_request_id',
  description: 'The `id` of the support request.',
  not_found: 'support_request_not_found',
  prefix: 'sup',
  title: ({ reference }) => reference,
  visible: (ctx) => (user(ctx) === null ? null : { text: ofSeenExecution('s') }),
  parameters: { user },
  constant: ['reference', 'summary', 'execution_id', 'conversation_id', 'created_by_name'],
  unread: ['details', 'request_id', 'began_at', 'sent_at'],
})

export const SUPPORT_REQUESTS = SUPPORT_REQUEST.list({
  name: 'support_requests',
  filters: {
    status: SUPPORT_REQUEST.by.isOneOf('status', 'Only support requests with one of these statuses'),
    from: SUPPORT_REQUEST.by.since('created_at', 'support requests made'),
    to: SUPPORT_REQUEST.by.before('created_at', 'support requests made'),
    search: searchFor(
      searchable(`concat_ws(e'\\n', s.reference, s.summary)`),
      'Only support requests with this in `reference` or `summary`, in any letter case.',
    ),
  },
})

const BY_REFERENCE = statement(
  'escalation.support_request_by_reference',
  'select s.tenant_id, s.id from support_request s where s.environment = $1 and s.reference = $2',
)

/** The tenant and the id of the request with the reference, for the operator; undefined if there is none. */
export const requestWithReference = async (
  database: Sql,
  environment: string,
  reference: string,
): Promise<{ tenant_id: string; id: string } | undefined> =>
  (await database.rows<{ tenant_id: string; id: string }>(BY_REFERENCE, [environment, reference]))[0]

/** Stores the status; false if the request has it already, or is not there. */
export async function setSupportStatus(
  ctx: MutationContext,
  id: string,
  status: SupportRequestRow['status'],
): Promise<boolean> {
  const request = await SUPPORT_REQUEST.lockIfThere(ctx, id)
  if (!request) return false
  const verb = status === 'CLOSED' ? 'closed' : 'reopened'
  await change(ctx, SUPPORT_REQUEST, request, { verb, decide: () => ({ status }) })
  return ctx.outcome === 'RECORDED'
}
