/** The approval of calls through the API-request channel: the call is stored, and waits for a technician. */

import { callerOf, recordedName, usersBehind } from '../../../access/viewer.ts'
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import { lockTenant } from '../../../db/transaction.ts'
import { ApiError } from '../../../errors/errors.ts'
import { insertRecorded, recordedInsert } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { committing } from '../../../gateway/transaction.ts'
import { argumentsHash } from '../../../lib/arguments-hash.ts'
import type { EntityTags } from '../../../lib/entity-tags.ts'
import { newId } from '../../../lib/ids.ts'
import type { Approval, RequestWords, WaitingCall } from '../../../schema/approval.ts'
import { approversOf, type GroupName, PERMISSION_GROUP } from '../../tenant/index.ts'
import { nameTechnicians } from '../named-technicians.ts'
import { DECISIONS, expiryOf, pathOf, riskOf } from './rules.ts'

/** Stores the call as a request to technicians and refuses it; resolves if the tenant has turned the approval off. */
export async function askForApproval(
  ctx: Context,
  { group, can_be_turned_off, describe }: Approval,
  call: WaitingCall,
): Promise<void> {
  const { requires_approval, approver_technician_ids: chosen } = await PERMISSION_GROUP.read(ctx, group)
  if (can_be_turned_off && !requires_approval) return
  await call.tryOut()
  const words = describe ? await describe(ctx, call.arguments as never) : wordsOf(ctx, call)
  const til_request_id = await requestFor(ctx, call, words, { group, chosen })
  throw committing(new ApiError('approval_required', { details: { til_request_id } }))
}

const wordsOf = (ctx: Context, { title, rest, arguments: args }: WaitingCall): RequestWords => ({
  title,
  summary: `${requesterOf(ctx).name} asks for ${rest.method} ${pathOf(rest.path, args)}.`,
})

/** The person in whose name the call is made, or else the key. */
function requesterOf(ctx: Context) {
  const viewer = callerOf(ctx)
  const { person, id } = viewer
  const name = recordedName(viewer)
  return person ? ({ type: 'USER', id: person.id, name } as const) : ({ type: 'API_KEY', id, name } as const)
}

const OPEN = scoped(
  'til_requests.open_call',
  `select id from til_request
   where tenant_id = $1 and environment = $2 and execution_id is null and status = 'PENDING' and expires_at > $3
     and arguments_hash = $4 and call = $5::jsonb and requested_by_id = $6
   limit 1`,
)

const STORE = recordedInsert('til_requests.store_call', 'TilRequest', {
  columns: [
    'id',
    'kind',
    'tool_name',
    'title',
    'summary',
    'arguments',
    'arguments_hash',
    'allowed_decisions',
    'requested_by_type',
    'requested_by_id',
    'requested_by_name',
    'call',
    'risk',
    'expires_at',
    'created_at',
    'updated_at',
    'asked_of',
    'permission_group',
    'asked_by_user_ids' as const,
  ],
  returning: ['id'],
})

// Contract silent: a request for the same change with other arguments withdraws the requester's earlier one.
const SUPERSEDE = scoped(
  'til_requests.supersede_calls',
  `update til_request r set status = 'SUPERSEDED', closed_at = $4::timestamptz, updated_at = $4::timestamptz
   from til_request n
   where n.tenant_id = $1 and n.environment = $2 and n.id = $3 and r.tenant_id = $1 and r.environment = $2
     and r.status = 'PENDING' and r.execution_id is null and r.id <> n.id and r.tool_name = n.tool_name
     and r.requested_by_id = n.requested_by_id and r.call -> 'caller' = n.call -> 'caller'
     and r.arguments - 'input' = n.arguments - 'input' and r.arguments - 'input' <> '{}'`,
)

/** A call of the API that waits, as its request has it. */
interface RequestedCall extends RequestWords {
  /** The name of the operation. */
  operation: string
  /** The arguments with which the call is made once it is approved; no secret is among them. */
  arguments: Record<string, unknown>
  risk: 'CHANGE' | 'DESTRUCTIVE'
  group: GroupName
}

/**
 * The id of the request for the call. The same call of the same requester has one open request, with however many calls
 * at once.
 */
async function requestFor(
  ctx: Context,
  { operation, rest, arguments: given }: WaitingCall,
  words: RequestWords,
  { group, chosen }: { group: GroupName; chosen: readonly number[] },
): Promise<string> {
  const requester = requesterOf(ctx)
  const args = JSON.parse(JSON.stringify(given)) as Record<string, unknown>
  const call = callOf(ctx, operation, ctx.request.if_match)
  await lockTenant(ctx, `${tenancyOf(ctx).environment} til_request ${operation} ${requester.id}`)
  const values = [ctx.now, argumentsHash(args), JSON.stringify(call), requester.id]
  const [open] = await sql<{ id: string }>(ctx, OPEN, values)
  if (open) return open.id
  const requested = { ...words, operation, arguments: args, risk: riskOf(rest.method), group }
  const id = await storeRequest(ctx, requested, { chosen, if_match: ctx.request.if_match })
  await sql(ctx, SUPERSEDE, [id, ctx.now])
  return id
}

/** Stores the request of a call for which the caller’s own area keeps what waits. The id of the request. */
export async function requestApproval(ctx: Context, requested: RequestedCall): Promise<string> {
  const { approver_technician_ids } = await PERMISSION_GROUP.read(ctx, requested.group)
  // The tag of an If-Match is one of what the call makes, which is not there yet.
  return await storeRequest(ctx, requested, { chosen: approver_technician_ids, if_match: null })
}

async function storeRequest(
  ctx: Context,
  { operation, arguments: args, title, summary, risk, group }: RequestedCall,
  { chosen, if_match }: { chosen: readonly number[]; if_match: EntityTags | null },
): Promise<string> {
  const requester = requesterOf(ctx)
  const id = newId('til')
  const technicians = await approversOf(ctx, chosen)
  const row = {
    id,
    kind: 'API_REQUEST' as const,
    tool_name: operation,
    title,
    summary,
    arguments: args,
    arguments_hash: argumentsHash(args),
    allowed_decisions: DECISIONS.API_REQUEST,
    requested_by_type: requester.type,
    requested_by_id: requester.id,
    requested_by_name: requester.name,
    call: callOf(ctx, operation, if_match),
    risk,
    expires_at: expiryOf(ctx.now),
    created_at: ctx.now,
    updated_at: ctx.now,
    asked_of: 'APPROVERS' as const,
    permission_group: group,
    asked_by_user_ids: usersBehind(callerOf(ctx)),
  }
  await insertRecorded(ctx, STORE, row as never, {
    action: 'til_request.created',
    targets: [{ type: 'til_request', id, name: title }],
    after: { kind: 'API_REQUEST', operation, arguments: args, technician_ids: technicians },
  })
  await nameTechnicians(ctx, [id], technicians)
  return id
}

/** The stored call: its operation, and its credential. */
function callOf(ctx: Context, operation: string, if_match: EntityTags | null) {
  const { kind, id } = callerOf(ctx)
  return { operation, if_match, caller: { type: kind.type, id } }
}
