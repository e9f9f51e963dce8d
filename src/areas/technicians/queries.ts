/** The SQL of technicians, and how changes reach them. */
import { type DatabaseContext, db, ownKey, scoped, sql, tenancyOf } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { ascending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { lockTenant } from '../../db/transaction.ts'
import { found } from '../../errors/errors.ts'
import { record } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { SEARCH } from '../../schema/bounds/bounds.ts'
import { defineResource, targetOf } from '../../schema/changes/change.ts'
import { updateOf } from '../../schema/changes/row-update.ts'
import { anyOf, contains, defineList } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { ProfileStatus, type TechnicianRow, technicianEtag } from './technician.ts'

export const TECHNICIAN_COLUMNS = projection('TechnicianProfile', 'p', {
  always: ['id'],
})

const BY_NAME = [ascending('sort_name', 'text'), ascending('id', 'int')]

/** The technicians, deleted ones included, by name in any letter case, then by id. */
export const TECHNICIANS = defineList<TechnicianRow>()({
  name: 'technicians',
  from: 'technician_profile p',
  columns: TECHNICIAN_COLUMNS,
  order: BY_NAME,
  filters: {
    is_ready: {
      type: 'Boolean',
      description: 'true: only technicians whom agents may work with. false: only the others.',
      where: 'p.is_ready = ?::boolean',
    },
    profile_status: {
      type: [ProfileStatus],
      min_items: 1,
      description:
        'Only technicians whose profile is in one of these states: separated by commas, or repeated.',
      where: anyOf('p.profile_status', 'profile_status'),
    },
    schedule_id: {
      type: 'Int',
      min: 1,
      description: 'Only technicians on this schedule, by its `id`.',
      where: 'p.schedule_id = ?::int',
    },
    // Contract silent: the row of a deleted technician remains, and is listed unless the caller says otherwise.
    deleted: {
      type: 'Boolean',
      description: 'true: only deleted technicians. false: only the others.',
      where: (deleted) => ({ text: `p.deleted_at is ${deleted ? 'not ' : ''}null` }),
    },
    search: {
      ...SEARCH,
      type: 'String',
      description: 'Only technicians whose name contains this, in any letter case.',
      where: contains('p.sort_name'),
    },
  },
})

/** The technicians on each schedule of a list of schedules. */
export const TECHNICIANS_ON_SCHEDULE = defineNestedList<TechnicianRow>({
  name: 'TechnicianSchedule.technicians',
  from: 'technician_profile p',
  columns: TECHNICIAN_COLUMNS,
  order: BY_NAME,
  parent: { column: 'p.schedule_id', type: 'int' },
})

/** The technician, or 404; `query` is of the field that answers with it. */
export async function readTechnician(ctx: Context, profile_id: number, query = {}): Promise<TechnicianRow> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id: profile_id }) }
  const technician = await db(ctx).technicianProfile.findUnique({ ...query, where })
  return found(technician, 'technician_not_found', profile_id)
}

const LOCK = scoped(
  'technicians.lock',
  `select ${TECHNICIAN_COLUMNS.select(null)} from technician_profile p
   where p.tenant_id = $1 and p.environment = $2 and p.id = $3::int for update`,
)

/** The technician, or 404, locked until the transaction ends. */
export const lockTechnician = async (ctx: Context, profile_id: number): Promise<TechnicianRow> =>
  found((await sql<TechnicianRow>(ctx, LOCK, [profile_id]))[0], 'technician_not_found', profile_id)

const LOCK_BY_PSA_ID = scoped(
  'technicians.lock_by_psa_id',
  `select ${TECHNICIAN_COLUMNS.select(null)} from technician_profile p
   where p.tenant_id = $1 and p.environment = $2 and p.psa_id = $3::int for update`,
)

/** The technician with this id in the PSA, if there is one, locked until the transaction ends. */
export async function lockByPsaId(ctx: Context, psa_id: number): Promise<TechnicianRow | undefined> {
  const [technician] = await sql<TechnicianRow>(ctx, LOCK_BY_PSA_ID, [psa_id])
  return technician
}

export const TECHNICIAN = defineResource<TechnicianRow>()({
  noun: 'technician',
  etag: technicianEtag,
  named: ({ id, name }) => ({ id: String(id), name }),
  write: updateOf('TechnicianProfile', {
    key: ['id'],
    columns: [
      ...(['name', 'profile', 'profile_status', 'custom_instructions', 'is_ready'] as const),
      ...(['update_automatically', 'skills', 'deleted_at'] as const),
    ],
  }),
})

const INSERT = insertOf('technicians.insert', 'TechnicianProfile', {
  columns: ['psa_id', 'name', 'created_at', 'updated_at'],
  on_conflict: 'do nothing',
  returning: 'row',
})

/** Stores a new technician; undefined if there is one with this id in the PSA. */
export async function insertTechnician(
  ctx: Context,
  { psa_id, name }: Pick<TechnicianRow, 'psa_id' | 'name'>,
): Promise<TechnicianRow | undefined> {
  const row = { psa_id, name, created_at: ctx.now, updated_at: ctx.now }
  const technician = await insert(ctx, INSERT, row)
  if (!technician) return undefined
  const targets = [targetOf(TECHNICIAN, TECHNICIAN.named(technician))]
  await record(ctx, { action: 'technician.created', targets, after: technician })
  return technician
}

/** One deletion at a time: requests of one technician could otherwise be given to another who is being deleted. */
export const lockDeletions = (ctx: Context): Promise<void> =>
  lockTenant(ctx, `${tenancyOf(ctx).environment} technician_deletions`)

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
