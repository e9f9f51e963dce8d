/** The technicians, as the tools of agents ask for them. */
import type { Technician, Technicians, TechniciansConnector } from '../../connectors/technicians.ts'
import { scoped, sql } from '../../db/db.ts'
import { wordPatterns } from '../../lib/like-pattern.ts'
import { availabilityOf } from './schedules/availability.ts'

const COLUMNS = 'p.id as technician_id, p.psa_id, p.name'
const OWN = 'p.tenant_id = $1 and p.environment = $2 and p.deleted_at is null'

const READ = scoped(
  'technicians.for_tools',
  `select ${COLUMNS} from technician_profile p where ${OWN} and p.id = $3::int`,
)

const READ_BY_PSA_ID = scoped(
  'technicians.for_tools_by_psa_id',
  `select ${COLUMNS} from technician_profile p where ${OWN} and p.psa_id = $3::int`,
)

const SEARCH = scoped(
  'technicians.search_for_tools',
  `select ${COLUMNS} from technician_profile p
   where ${OWN} and lower(concat_ws(' ', p.name, array_to_string(p.skills, ' '))) like all($3::text[])
   order by p.sort_name, p.id limit $4::int`,
)

export const techniciansForTools: TechniciansConnector = (ctx): Technicians => ({
  technician: async (technician_id) => (await sql<Technician>(ctx, READ, [technician_id]))[0] ?? null,
  technicianOfPsa: async (psa_id) => (await sql<Technician>(ctx, READ_BY_PSA_ID, [psa_id]))[0] ?? null,
  search: (words, limit) => sql<Technician>(ctx, SEARCH, [wordPatterns(words), limit]),
  async nextAtWork(technician_id) {
    const found = await availabilityOf(ctx, technician_id, ctx.now)
    if (!found) return null
    return found.availability.available ? ctx.now : found.availability.next_available_at
  },
})
