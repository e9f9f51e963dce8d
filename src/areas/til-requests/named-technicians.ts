/** The technicians who are named on requests. */
import { type DatabaseContext, scopedInsert, sql } from '../../db/db.ts'

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
