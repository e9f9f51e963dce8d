/** The count of new tickets, of which `total_tickets_received` is the sum. */
import { type DatabaseContext, scopedInsert, sql } from '../../db/db.ts'

const COUNT = scopedInsert(
  'performance.count_ticket',
  `insert into tickets_received (tenant_id, environment, quarter, count)
   select $1, $2, date_bin('15 minutes', $3::timestamptz, '2000-01-01Z'), 1
   on conflict (tenant_id, environment, quarter) do update set count = tickets_received.count + 1`,
)

/** Counts a ticket that the PSA reported as new. */
export async function countTicketReceived(ctx: DatabaseContext, received_at: Date): Promise<void> {
  await sql(ctx, COUNT, [received_at])
}
