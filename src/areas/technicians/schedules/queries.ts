/** The SQL of schedules, and how changes reach them. */

import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import { select } from '../../../db/query/fragment.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { ascending } from '../../../db/query/keyset.ts'
import { projection } from '../../../db/query/projection.ts'
import { lockTenant } from '../../../db/transaction.ts'
import { ApiError, found } from '../../../errors/errors.ts'
import { record, recordedWrite, writeRecorded } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { searchable } from '../../../lib/like-pattern.ts'
import { SEARCH } from '../../../schema/bounds/bounds.ts'
import { defineResource, targetOf } from '../../../schema/changes/change.ts'
import { updateAllOf } from '../../../schema/changes/row-update.ts'
import { contains, defineList } from '../../../schema/lists/list.ts'
import type { Row } from '../../../schema/models.ts'
import { type ScheduleRow, scheduleEtag } from './schedule.ts'

const TECHNICIAN_IDS = `array(select p.id from technician_profile p
    where p.tenant_id = s.tenant_id and p.environment = s.environment and p.schedule_id = s.id order by p.id)`

export const SCHEDULE_COLUMNS = projection('TechnicianSchedule', 's', {
  computed: { technician_ids: TECHNICIAN_IDS },
  always: ['id'],
})

/** The schedules, by name in any letter case. */
export const TECHNICIAN_SCHEDULES = defineList<ScheduleRow>()({
  name: 'technician_schedules',
  from: 'technician_schedule s',
  columns: SCHEDULE_COLUMNS,
  order: [ascending('sort_name', 'text')],
  filters: {
    search: {
      ...SEARCH,
      type: 'String',
      description: 'Only schedules whose name contains this, in any letter case.',
      where: contains(searchable('s.name')),
    },
  },
})

const ONE = 'from technician_schedule s where s.tenant_id = $1 and s.environment = $2 and s.id'

/** The schedule, with the fields that are wanted, or 404. */
export async function readSchedule(
  ctx: Context,
  schedule_id: number,
  wanted: ReadonlySet<string>,
): Promise<ScheduleRow> {
  // The entity tag has it.
  const text = `select ${SCHEDULE_COLUMNS.select(wanted, ['revision'])} ${ONE} = ?::int`
  const [schedule] = await select<ScheduleRow>(ctx, 'technician_schedule', {
    text,
    values: [schedule_id],
  })
  return found(schedule, 'schedule_not_found', schedule_id)
}

/** Changes of the environment’s schedules wait for each other: names are unique, and technicians move between schedules. */
export const lockSchedules = (ctx: Context): Promise<void> =>
  lockTenant(ctx, `${tenancyOf(ctx).environment} technician_schedules`)

const STORED = SCHEDULE_COLUMNS.select(null)

const LOCK = scoped('technician_schedules.lock', `select ${STORED} ${ONE} = $3::int for update`)

/** The schedule, or 404, locked until the transaction ends. */
export async function lockSchedule(ctx: Context, schedule_id: number): Promise<ScheduleRow> {
  await lockSchedules(ctx)
  const [schedule] = await sql<ScheduleRow>(ctx, LOCK, [schedule_id])
  return found(schedule, 'schedule_not_found', schedule_id)
}

const LOCK_OTHERS = scoped(
  'technician_schedules.lock_others',
  `select ${STORED} from technician_schedule s
   where s.tenant_id = $1 and s.environment = $2 and s.id <> $3::int and exists (
     select from technician_profile m
     where m.tenant_id = $1 and m.environment = $2 and m.schedule_id = s.id and m.id = any($4::int[]))
   order by s.id for update`,
)

/** The other schedules that any of these technicians is on, locked until the transaction ends. */
export const lockOtherSchedules = (
  ctx: Context,
  { id }: ScheduleRow,
  technician_ids: readonly number[],
): Promise<ScheduleRow[]> => sql<ScheduleRow>(ctx, LOCK_OTHERS, [id, technician_ids])

export const SCHEDULE = defineResource<ScheduleRow>()({
  noun: 'technician_schedule',
  etag: scheduleEtag,
  named: ({ id, name }) => ({ id: String(id), name }),
  write: updateAllOf('TechnicianSchedule', {
    key: ['id'],
    columns: ['name', 'timezone', 'windows', 'updated_by_user'],
  }),
})

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

// Contract silent: names that differ only in letter case are the same name.
/** 409 if a schedule other than the one with this id has the name. */
export async function checkNameIsFree(ctx: Context, name: string, own_id: number | null): Promise<void> {
  const [other] = await sql<{ id: number }>(ctx, TAKEN_BY, [name, own_id])
  if (other) throw new ApiError('schedule_name_taken', { details: { name, schedule_id: other.id } })
}

type Content = Pick<ScheduleRow, 'name' | 'timezone' | 'windows' | 'updated_by_user'>

const INSERT = insertOf('technician_schedules.insert', 'TechnicianSchedule', {
  columns: ['name', 'timezone', 'windows', 'updated_by_user', 'created_at', 'updated_at'],
  returning: 'row',
})

/** Stores a new schedule, without technicians. */
export async function insertSchedule(ctx: Context, content: Content): Promise<ScheduleRow> {
  const stored = await insert(ctx, INSERT, { ...content, created_at: ctx.now, updated_at: ctx.now })
  const schedule = { ...(stored as Row<'TechnicianSchedule'>), windows: content.windows, technician_ids: [] }
  const targets = [targetOf(SCHEDULE, SCHEDULE.named(schedule))]
  await record(ctx, { action: 'technician_schedule.created', targets, after: schedule })
  return schedule
}

const DELETE = recordedWrite(
  'technician_schedules.delete',
  'delete from technician_schedule where tenant_id = $1 and environment = $2 and id = $3 returning id',
)

/** Deletes a locked schedule. */
export async function deleteSchedule(ctx: Context, schedule: ScheduleRow): Promise<void> {
  const targets = [targetOf(SCHEDULE, SCHEDULE.named(schedule))]
  const activity = { action: 'technician_schedule.deleted', targets, before: schedule }
  await writeRecorded(ctx, DELETE, [schedule.id], activity, { last: true })
}
