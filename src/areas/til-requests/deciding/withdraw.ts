/** Takes open requests back whose run of a script can become nothing, or was cancelled. */
import { scoped, sql } from '../../../db/db.ts'
import type { Context } from '../../../gateway/context.ts'
import { resumeExecutionOf } from './decide.ts'
import { lockExecutionOf } from './lock.ts'

const LOCK = scoped(
  'til_requests.lock_waiting',
  `select r.execution_id from til_request r
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 for update of r`,
)

/** Locks a request before what waits for it is locked, in the order of decisions. */
export const lockWaiting = async (ctx: Context, id: string): Promise<void> => {
  await sql(ctx, LOCK, [id])
}

const WITHDRAW = scoped(
  'til_requests.withdraw',
  `update til_request r set status = $4::text::til_request_status, closed_at = $5::timestamptz, updated_at = $5::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 and r.status = 'PENDING'
   returning r.id, r.title, r.initiating_temporal_run_id, r.execution_id`,
)

type Withdrawn = Parameters<typeof resumeExecutionOf>[1]['request'] & { execution_id: string | null }

/** Closes the request, whose execution and row are locked, and goes on with the execution. `reason`: as the timeline has it. */
export async function withdrawRequest(
  ctx: Context,
  id: string,
  status: 'CANCELLED' | 'SUPERSEDED',
  reason: string,
): Promise<void> {
  const [request] = await sql<Withdrawn>(ctx, WITHDRAW, [id, status, ctx.now])
  if (!request) return
  const execution = await lockExecutionOf(ctx, request.execution_id)
  await resumeExecutionOf(ctx, { request, execution }, reason)
}
