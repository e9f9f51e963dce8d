/** A decision of a technician: it closes the request, and goes on with what waited for it. */

import { viewerNow } from '../../../access/credentials/viewer-now.ts'
import { callerOf } from '../../../access/viewer.ts'
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import type { Sql } from '../../../db/sql.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import type { EntityTags } from '../../../lib/entity-tags.ts'
import { replay } from '../../../schema/calls/replay.ts'
import { change, type PatchOf } from '../../../schema/changes/change.ts'
import { type LockedExecution, resumeAfterDecision } from '../../executions/index.ts'
import { readTilRequest } from '../queries.ts'
import type { TilRequestRow } from '../til-request.ts'
import { type LockedRequest, lockRequest, requireDecider, storeApproval, TIL_REQUEST } from './lock.ts'
import { fitProblem, viaOf } from './rules/deciding.ts'

const STATUS = { APPROVE: 'APPROVED', EDIT: 'APPROVED', REJECT: 'REJECTED', ANSWER: 'ANSWERED' } as const
const VERB = { APPROVE: 'approved', EDIT: 'approved', REJECT: 'rejected', ANSWER: 'answered' } as const

export interface DecisionOf {
  decision: keyof typeof STATUS
  comment: string | null
  /** The hash of the arguments that the technician has seen, if they say it. */
  arguments_hash?: string | null | undefined
  /** Throws 422 if what was given is not of the company of the work. It may ask other systems. */
  check?(request: LockedRequest): Promise<void>
  /** The further columns of the decision. It throws 422 if what was given does not fit the request. */
  columns?(request: LockedRequest): PatchOf<typeof TIL_REQUEST>
}

/** Decides the request, and answers with the fields of it that are wanted; `query` is of the field that answers. */
export async function decide(
  ctx: Context,
  id: string,
  { decision, comment, arguments_hash, check, columns }: DecisionOf,
  wanted: ReadonlySet<string>,
  query: object,
): Promise<TilRequestRow> {
  const locked = await lockRequest(ctx, id)
  const technician = requireDecider(ctx, locked, decision)
  await check?.(locked.request)
  const via = viaOf(callerOf(ctx).kind.type)
  await change(ctx, TIL_REQUEST, locked.request, {
    verb: VERB[decision],
    from: ['PENDING'],
    to: STATUS[decision],
    decide(request) {
      const problem = fitProblem(request, decision, arguments_hash)
      const { allowed_decisions, arguments_hash: current } = request
      if (problem === 'decision_not_allowed') throw new ApiError(problem, { details: { allowed_decisions } })
      if (problem) throw new ApiError(problem, { details: { arguments_hash: current } })
      return {
        ...columns?.(request),
        status: STATUS[decision],
        decided_at: ctx.now,
        decided_by_name: technician.name,
        decision_comment: comment,
        closed_at: ctx.now,
      }
    },
    beforeWrite: () => storeApproval(ctx, id, { technician, decision, comment, via }),
    otherTargets: ({ execution_id }) =>
      execution_id === null ? [] : [{ type: 'execution', id: execution_id, name: execution_id }],
  })
  if (locked.request.kind === 'API_REQUEST' && decision === 'APPROVE')
    await replayApproved(ctx, locked.request)
  await resumeExecutionOf(ctx, locked, `${technician.name} ${VERB[decision]} it.`)
  return await readTilRequest(ctx, id, wanted, { query, whoever_sees_it: true })
}

const RESUMED = scoped(
  'til_requests.resumed',
  `update til_request r set resumed_temporal_run_id = $4
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3`,
)

interface Settled {
  request: Pick<LockedRequest, 'id' | 'title' | 'initiating_temporal_run_id'>
  execution: LockedExecution | null
}

/** Resumes the execution of a request that is settled, in the same transaction. */
export async function resumeExecutionOf(
  ctx: Parameters<typeof resumeAfterDecision>[0],
  { request: { id, title, initiating_temporal_run_id }, execution }: Settled,
  outcome: string,
): Promise<void> {
  if (!execution) return
  const temporal_run_id = await resumeAfterDecision(ctx, execution, {
    til_request_id: id,
    asked_in: initiating_temporal_run_id,
    text: `${title}: ${outcome}`,
  })
  if (temporal_run_id !== null) await sql(ctx, RESUMED, [id, temporal_run_id])
}

interface StoredCall {
  operation: string
  if_match: EntityTags | null
  caller: { type: string; id: string }
}

const STORE_REFUSAL = scoped(
  'til_requests.store_call_error',
  `update til_request set call_error = $4::jsonb where tenant_id = $1 and environment = $2 and id = $3`,
)

/**
 * Makes the approved call of the API as the technician who approved it, in the transaction of the decision: once.
 *
 * Contract silent: an approver who may not make the call decides nothing, and another one may. If the call itself is
 * refused, such as for an outdated If-Match, the approval stands, and the request keeps the refusal for who asked.
 */
async function replayApproved(ctx: Context, request: LockedRequest): Promise<void> {
  const { operation, if_match, caller } = request.call as unknown as StoredCall
  const asker = {
    ...tenancyOf(ctx),
    key_id: caller.type === 'API_KEY' ? caller.id : null,
    user_id: request.requested_by_type === 'USER' ? request.requested_by_id : null,
  }
  // The statement is one of the transaction, which holds the only connection of an embedded database.
  const own: Sql = {
    rows: (query, values) =>
      ctx.transaction ? ctx.transaction.rows(query, values) : ctx.services.database.sql.rows(query, values),
  }
  const refusal = await replay(ctx, {
    operation,
    if_match,
    arguments: request.arguments as Record<string, unknown>,
    asked: { til_request_id: request.id, by_name: request.requested_by_name },
    asker: () => viewerNow(own, asker, ctx.now),
  })
  if (refusal) await sql(ctx, STORE_REFUSAL, [request.id, JSON.stringify(refusal)])
}
