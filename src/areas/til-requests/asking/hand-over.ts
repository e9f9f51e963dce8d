/** The open requests that one technician alone could decide go to others once that technician is deleted. */
import { scoped, sql } from '../../../db/db.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Target } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import type { Row } from '../../../schema/models.ts'
import { approversOf } from '../../tenant/index.ts'
import { nameTechnicians, raiseReassigned } from '../named-technicians.ts'
import { chosenBy } from './approvers.ts'

const LOCK_ALONE = scoped(
  'til_requests.lock_of_one_technician',
  `select r.id, r.title, r.asked_of::text as asked_of, r.permission_group from til_request r
   where r.tenant_id = $1 and r.environment = $2 and r.status = 'PENDING' and r.expires_at > $4::timestamptz
     and exists (select from til_request_technician n
       where n.tenant_id = $1 and n.environment = $2 and n.technician_id = $3::int and n.til_request_id = r.id)
     and not exists (select from til_request_technician o
       where o.tenant_id = $1 and o.environment = $2 and o.til_request_id = r.id and o.technician_id <> $3::int)
   order by r.id for update`,
)

const UNNAME = scoped(
  'til_requests.unname',
  `delete from til_request_technician
   where tenant_id = $1 and environment = $2 and til_request_id = any($3::text[]) and technician_id = $4::int`,
)

const RAISE = scoped(
  'til_requests.raise',
  `update til_request set revision = revision + 1, updated_at = $4::timestamptz
   where tenant_id = $1 and environment = $2 and id = any($3::text[])`,
)

type Request = Pick<Row<'TilRequest'>, 'id' | 'title' | 'asked_of' | 'permission_group'>

/** The requests that the same technicians take over: of one permission group, or else those of no group. */
const byGroup = (requests: readonly Request[]): Map<string | null, string[]> => {
  const ids = new Map<string | null, string[]>()
  for (const { id, asked_of, permission_group } of requests) {
    const group = asked_of === 'APPROVERS' ? permission_group : null
    ids.set(group, [...(ids.get(group) ?? []), id])
  }
  return ids
}

/**
 * Names other technicians on every open request that this technician alone could decide, and returns the requests: the
 * other approvers of the permission group, else those who approve by default. 409 if there is no other technician.
 */
export async function handOver(ctx: Context, technician_id: number): Promise<Target[]> {
  const requests = await sql<Request>(ctx, LOCK_ALONE, [technician_id, ctx.now])
  for (const [group, ids] of byGroup(requests)) {
    const chosen = (await chosenBy(ctx, group)).filter((id) => id !== technician_id)
    const others = (await approversOf(ctx, chosen)).filter((id) => id !== technician_id)
    if (others.length === 0) {
      const til_request_ids = requests.map(({ id }) => id)
      throw new ApiError('technician_has_open_approvals', { details: { til_request_ids } })
    }
    await nameTechnicians(ctx, ids, others)
  }
  if (requests.length === 0) return []
  const til_request_ids = requests.map(({ id }) => id)
  await sql(ctx, UNNAME, [til_request_ids, technician_id])
  await sql(ctx, RAISE, [til_request_ids, ctx.now])
  await raiseReassigned(ctx, til_request_ids)
  return requests.map(({ id, title }) => ({ type: 'til_request', id, name: title }))
}
