/** Requests about the calls of agents, once the calls have come to their end. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { redact } from '../../gateway/redact.ts'

const STORE_ERROR = scoped(
  'til_requests.store_error_of_call',
  `update til_request r set call_error = $4::jsonb, updated_at = $5::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 and r.kind = 'WRITE' and r.status = 'APPROVED'`,
)

const DECIDER = scoped(
  'til_requests.decider',
  'select r.decided_by_name from til_request r where r.tenant_id = $1 and r.environment = $2 and r.id = $3',
)

/** Stores the error of an approved call with its request. Returns the name of who decided; null: nobody. */
export async function callEnded(
  ctx: DatabaseContext & { now: Date },
  til_request_id: string,
  error: { code: string; message: string } | null,
): Promise<string | null> {
  if (error) {
    const call_error = JSON.stringify({ ...(redact(error) as object), details: {} })
    await sql(ctx, STORE_ERROR, [til_request_id, call_error, ctx.now])
  }
  const [request] = await sql<{ decided_by_name: string | null }>(ctx, DECIDER, [til_request_id])
  return request?.decided_by_name ?? null
}
