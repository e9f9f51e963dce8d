/** The technicians, as the tools of agents ask for them. */
import type { Technician, Technicians, TechniciansConnector } from '../../connectors/technicians.ts'
import { type DatabaseContext, db, scoped, sql } from '../../db/db.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import { availabilityOf } from './schedules/availability.ts'

async function present(
  ctx: DatabaseContext,
  where: { id: number } | { psa_id: number },
): Promise<Technician | null> {
  const found = await db(ctx).technicianProfile.findFirst({ where: { ...where, deleted_at: null } })
  return found && { technician_id: found.id, psa_id: found.psa_id, name: found.name }
}

const SEARCH = scoped(
  'technicians.search_for_tools',
  `select p.id as technician_id, p.psa_id, p.name from technician_profile p
   where p.tenant_id = $1 and p.environment = $2 and p.deleted_at is null
     and ${searchable(`concat_ws(' ', p.name, array_to_string(p.skills, ' '))`)} like all($3::text[])
   order by p.sort_name, p.id limit $4::int`,
)

export const techniciansForTools: TechniciansConnector = (ctx): Technicians => ({
  technician: (technician_id) => present(ctx, { id: technician_id }),
  technicianOfPsa: (psa_id) => present(ctx, { psa_id }),
  search: (words, limit) => sql<Technician>(ctx, SEARCH, [wordPatterns(words), limit]),
  async nextAtWork(technician_id) {
    const found = await availabilityOf(ctx, technician_id, ctx.now)
    if (!found) return null
    return found.availability.available ? ctx.now : found.availability.next_available_at
  },
})
