/** The technicians who are named on requests. */
import { type DatabaseContext, scopedInsert, sql } from '../../db/db.ts'
import { raisedFrom } from '../../db/live/raise.ts'

const NAME = scopedInsert(
  'til_requests.name_technicians',
  `insert into til_request_technician (tenant_id, environment, til_request_id, technician_id)
   select $1, $2, request.id, technician.id
   from unnest($3::text[]) as request (id) cross join unnest($4::int[]) as technician (id)
   on conflict do nothing`,
)

/** Names these technicians on each of these requests. */
export async function nameTechnicians(
  ctx: DatabaseContext,
  til_request_ids: readonly string[],
  technician_ids: readonly number[],
): Promise<void> {
  await sql(ctx, NAME, [til_request_ids, technician_ids])
}

const RAISE = scopedInsert(
  'til_requests.raise_reassigned',
  raisedFrom({
    type: "'til_request.reassigned'",
    entity_id: 'r.id',
    agent_id: 'r.agent_id',
    data: 'til_request_event_data(r)',
    from: `from til_request r
      where r.tenant_id = $1 and r.environment = $2 and r.id = any($3::text[]) order by r.id`,
  }),
)

/** Raises the events of requests that other technicians are named on now. */
export async function raiseReassigned(
  ctx: DatabaseContext,
  til_request_ids: readonly string[],
): Promise<void> {
  await sql(ctx, RAISE, [til_request_ids])
}
