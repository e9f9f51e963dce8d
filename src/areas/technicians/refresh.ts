/** The technicians as a sync reads them from the PSA. */
import type { PsaTechnician } from '../../connectors/psa.ts'
import { scoped, sql } from '../../db/db.ts'
import type { MutationContext } from '../../gateway/context.ts'

// Contract silent: a sync adds no profile, since people decide which technicians agents work with. A name follows the PSA.
const RENAME = scoped(
  'technicians.rename',
  `with given as materialized (
     select * from jsonb_to_recordset($3::jsonb) as g (psa_id int, name text)
   ), renamed as (
     update technician_profile t set name = g.name, updated_at = $4::timestamptz
     from given g
     where t.tenant_id = $1 and t.environment = $2 and t.psa_id = g.psa_id and t.name <> g.name
     returning t.id
   ) select count(*)::int as changed from renamed`,
)

/** Gives the technicians the names that the PSA has for them now. The number of those whose name changed. */
export async function refreshTechnicians(
  ctx: MutationContext,
  technicians: readonly PsaTechnician[],
): Promise<number> {
  const rows = technicians.map(({ psa_id, name }) => ({ psa_id, name }))
  const [row] = await sql<{ changed: number }>(ctx, RENAME, [JSON.stringify(rows), ctx.now])
  return row?.changed ?? 0
}
