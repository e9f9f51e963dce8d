/** The technicians who had tickets of a company, from what the service knows. */
import { type DatabaseContext, scopedInsert, sql } from '../../db/db.ts'

const KEEP = scopedInsert(
  'dispatch.keep_familiarity',
  `insert into dispatch_familiarity (tenant_id, environment, psa_company_id, psa_id, last_at)
   select $1, $2, $3::text, $4::int, $5::timestamptz where not exists (
     select from dispatch_familiarity f
     where f.tenant_id = $1 and f.environment = $2 and f.psa_company_id = $3::text and f.psa_id = $4::int
       and f.last_at >= $5::timestamptz - interval '1 day')
   on conflict (tenant_id, environment, psa_company_id, psa_id) do update set last_at = excluded.last_at`,
)

/** Keeps that the technician has a ticket of the company now, to the day. */
export async function keepFamiliarity(
  ctx: DatabaseContext & { now: Date },
  { psa_company_id, psa_id }: { psa_company_id: string; psa_id: number },
): Promise<void> {
  await sql(ctx, KEEP, [psa_company_id, psa_id, ctx.now])
}
