/** Turns: whoever was chosen longest ago is next. */
import { type DatabaseContext, scopedInsert, sql } from '../../../db/db.ts'

const TAKE_TURN = scopedInsert(
  'dispatch.take_turn',
  `insert into dispatch_turn (tenant_id, environment, technician_id, turn)
   select $1, $2, $3::int, 1 + coalesce(max(t.turn), 0) from dispatch_turn t
   where t.tenant_id = $1 and t.environment = $2
   on conflict (tenant_id, environment, technician_id) do update set turn = excluded.turn`,
)

/** Notes that the technician was chosen. Decisions of the tenant wait for each other, so that no turn is taken twice. */
export async function takeTurn(ctx: DatabaseContext, technician_id: number): Promise<void> {
  await sql(ctx, TAKE_TURN, [technician_id])
}
