/** The SQL of technicians, and how changes reach them. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { ascending } from '../../db/query/keyset.ts'
import type { Context } from '../../gateway/context.ts'
import { searchFor } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { TechnicianProfile, type TechnicianRow, technicianEtag } from './technician.ts'

/** Deleted technicians are seen too. */
export const TECHNICIAN = defineTable<TechnicianRow>()('TechnicianProfile', {
  alias: 'p',
  noun: 'technician',
  type: TechnicianProfile,
  argument: 'profile_id',
  description: 'The `id` of the technician.',
  not_found: 'technician_not_found',
  etag: technicianEtag,
  constant: ['psa_id', 'sort_name', 'schedule_id'],
})

/** The technician that another row names; null if there is none. */
export const loadTechnician = TECHNICIAN.load

const BY_NAME = [ascending('sort_name', 'text'), ascending('id', 'int')]

/** The technicians, deleted ones included, by name in any letter case, then by id. */
export const TECHNICIANS = TECHNICIAN.list({
  name: 'technicians',
  order: BY_NAME,
  filters: {
    is_ready: TECHNICIAN.by.is(
      'is_ready',
      'true: only technicians whom agents may work with. false: only the others.',
    ),
    profile_status: TECHNICIAN.by.isOneOf(
      'profile_status',
      'Only technicians whose profile is in one of these states',
    ),
    schedule_id: TECHNICIAN.by.is('schedule_id', 'Only technicians on this schedule, by its `id`.'),
    // Contract silent: the row of a deleted technician remains, and is listed unless the caller says otherwise.
    deleted: {
      type: 'Boolean',
      description: 'true: only deleted technicians. false: only the others.',
      where: (deleted) => ({ text: `p.deleted_at is ${deleted ? 'not ' : ''}null` }),
    },
    search: searchFor('p.sort_name', 'Only technicians whose name contains this, in any letter case.'),
  },
})

/** The technicians on each schedule of a list of schedules. */
export const TECHNICIANS_ON_SCHEDULE = defineNestedList<TechnicianRow>({
  name: 'TechnicianSchedule.technicians',
  from: TECHNICIAN.from,
  columns: TECHNICIAN.columns,
  order: BY_NAME,
  parent: { column: 'p.schedule_id', type: 'int' },
})

const PRESENT = scoped(
  'technicians.present',
  `select id from technician_profile
   where tenant_id = $1 and environment = $2 and ($3::int[] is null or id = any($3)) and deleted_at is null
   order by id`,
)

/** The technicians who are not deleted, or those of them with these ids. */
export const presentTechnicians = async (
  ctx: DatabaseContext,
  ids: readonly number[] | null,
): Promise<number[]> => (await sql<{ id: number }>(ctx, PRESENT, [ids])).map(({ id }) => id)

const KEEP = scoped(
  'technicians.keep',
  `select id from technician_profile
   where tenant_id = $1 and environment = $2 and id = $3::int and deleted_at is null for no key update`,
)

/** True if the technician is there, who then is not deleted until the transaction ends. */
export const keepTechnician = async (ctx: DatabaseContext, profile_id: number): Promise<boolean> =>
  (await sql(ctx, KEEP, [profile_id])).length > 0

const KNOWN = scoped(
  'technicians.known',
  `select id from technician_profile where tenant_id = $1 and environment = $2 and id = any($3::int[])`,
)

/** The ids among these that are technicians of the tenant. */
export async function technicianIds(ctx: Context, ids: readonly number[]): Promise<Set<number>> {
  const known = await sql<{ id: number }>(ctx, KNOWN, [ids])
  return new Set(known.map(({ id }) => id))
}
