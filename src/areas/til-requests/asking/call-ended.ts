/** Requests about the calls of agents, once the calls have come to their end. */
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import { redact } from '../../../gateway/redact.ts'

// Several sets of technicians may have approved the call, each by a request of its own.
const OF_CALL = `select o.id from til_request q join til_request o on o.tenant_id = q.tenant_id
     and o.environment = q.environment and o.execution_id = q.execution_id
     and (o.id = q.id or o.tool_call_id = q.tool_call_id)
   where q.tenant_id = $1 and q.environment = $2 and q.id = $3`

const STORE_ERROR = scoped(
  'til_requests.store_error_of_call',
  `update til_request r set call_error = $4::jsonb, updated_at = $5::timestamptz
   where r.tenant_id = $1 and r.environment = $2 and r.id in (${OF_CALL}) and r.kind = 'WRITE'
     and r.status = 'APPROVED'`,
)

const DECIDERS = scoped(
  'til_requests.deciders',
  `select string_agg(decided.name, ', ' order by decided.at, decided.name) as names from (
     select r.decided_by_name as name, min(r.decided_at) as at from til_request r
     where r.tenant_id = $1 and r.environment = $2 and r.id in (${OF_CALL}) and r.decided_by_name is not null
     group by r.decided_by_name
   ) decided`,
)

/** Stores the error of an approved call with its requests. Returns the names of the deciders; null: there are none. */
export async function callEnded(
  ctx: DatabaseContext & { now: Date },
  til_request_id: string,
  error: { code: string; message: string } | null,
): Promise<string | null> {
  if (error) {
    const call_error = JSON.stringify({ ...(redact(error) as object), details: {} })
    await sql(ctx, STORE_ERROR, [til_request_id, call_error, ctx.now])
  }
  const [decided] = await sql<{ names: string | null }>(ctx, DECIDERS, [til_request_id])
  return decided?.names ?? null
}
