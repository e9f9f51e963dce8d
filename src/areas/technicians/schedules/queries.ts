/** The SQL of schedules, and how changes reach them. */

import { scoped, sql } from '../../../db/db.ts'
import { ascending } from '../../../db/query/keyset.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { searchable } from '../../../lib/like-pattern.ts'
import { defineResource } from '../../../schema/changes/change.ts'
import { searchFor } from '../../../schema/lists/list.ts'
import { defineTable } from '../../../schema/tables/table.ts'
import { type ScheduleRow, TechnicianSchedule } from './schedule.ts'

const TECHNICIAN_IDS = `array(select p.id from technician_profile p
    where p.tenant_id = s.tenant_id and p.environment = s.environment and p.schedule_id = s.id order by p.id)`

interface WithTechnicians {
  technicians: { id: number }[]
}

/** Changes of schedules wait for each other: technicians move between schedules. */
export const SCHEDULE = defineTable<ScheduleRow>()('TechnicianSchedule', {
  alias: 's',
  noun: 'technician_schedule',
  type: TechnicianSchedule,
  argument: 'schedule_id',
  description: 'The `id` of the schedule.',
  not_found: 'schedule_not_found',
  constant: ['sort_name'],
  computed: { technician_ids: TECHNICIAN_IDS },
  computed_by_prisma: {
    technician_ids: {
      include: { technicians: { select: { id: true }, orderBy: { id: 'asc' } } },
      of: ({ technicians }: WithTechnicians) => technicians.map(({ id }) => id),
    },
  },
  serialised: true,
})

/** The schedules, by name in any letter case. */
export const TECHNICIAN_SCHEDULES = SCHEDULE.list({
  name: 'technician_schedules',
  order: [ascending('sort_name', 'text')],
  filters: {
    search: searchFor(searchable('s.name'), 'Only schedules whose name contains this, in any letter case.'),
  },
})

/** The schedules, other than `$id`, that any of the technicians `$ids` is on. */
export const OTHERS = {
  text: `s.id <> $id::int and exists (
    select from technician_profile m
    where m.tenant_id = $1 and m.environment = $2 and m.schedule_id = s.id and m.id = any($ids::int[]))`,
}

/** A schedule whose technicians change. */
export const ASSIGNMENT = defineResource<ScheduleRow>()({ ...SCHEDULE, written_apart: ['technician_ids'] })

const MOVE = scoped(
  'technicians.move',
  `update technician_profile set schedule_id = case when id = any($4::int[]) then $3::int end
   where tenant_id = $1 and environment = $2
     and (schedule_id = $3::int or id = any($4::int[]))
     and (schedule_id = $3::int) is distinct from (id = any($4::int[]))`,
)

/** Puts these technicians on the schedule, and no others. */
export async function moveTechnicians(
  ctx: Context,
  { id }: ScheduleRow,
  technician_ids: readonly number[],
): Promise<void> {
  await sql(ctx, MOVE, [id, technician_ids])
}

const TAKEN_BY = scoped(
  'technician_schedules.taken_by',
  `select id from technician_schedule
   where tenant_id = $1 and environment = $2 and sort_name = lower($3::text) and id is distinct from $4::int`,
)

// Contract silent: names that differ only in letter case are the same name. PostgreSQL compares their letters by its `lower`.
/** 409 if a schedule other than the one with this id has the name. */
export async function checkNameIsFree(ctx: Context, name: string, own_id: number | null): Promise<void> {
  const [other] = await sql<{ id: number }>(ctx, TAKEN_BY, [name, own_id])
  if (other) throw new ApiError('schedule_name_taken', { details: { name, schedule_id: other.id } })
}
