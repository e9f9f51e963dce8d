import { scope } from '../../../access/policies/policies.ts'
import { ApiError } from '../../../errors/errors.ts'
import { checkIfMatch } from '../../../gateway/entity-tags.ts'
import { pageType } from '../../../schema/lists/page.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { area } from '../area.ts'
import { editorOf, scheduleContent, TechnicianScheduleInput } from './input.ts'
import {
  checkNameIsFree,
  deleteSchedule,
  insertSchedule,
  lockSchedule,
  lockSchedules,
  readSchedule,
  TECHNICIAN_SCHEDULES,
} from './queries.ts'
import { scheduleEtag, scheduleId, TechnicianSchedule } from './schedule.ts'

area.query('technician_schedules', (t) =>
  t.field({
    type: pageType('TechnicianSchedule', TechnicianSchedule),
    description: 'Lists the schedules of technicians’ working hours, by name in any letter case.',
    rest: { method: 'GET', path: '/technician-schedules' },
    access: scope('technicians:read'),
    args: TECHNICIAN_SCHEDULES.args,
    resolve: TECHNICIAN_SCHEDULES.resolve,
  }),
)

area.query('technician_schedule', (t) =>
  t.field({
    type: TechnicianSchedule,
    description: 'Gets a schedule of technicians’ working hours.',
    rest: { method: 'GET', path: '/technician-schedules/{schedule_id}' },
    access: scope('technicians:read'),
    errors: ['schedule_not_found'],
    etag: scheduleEtag,
    args: { schedule_id: t.arg(scheduleId) },
    resolve: (_root, { schedule_id }, ctx, info) => readSchedule(ctx, schedule_id, wantedFields(info)),
  }),
)

area.mutation('create_technician_schedule', (t) =>
  t.field({
    type: TechnicianSchedule,
    description: 'Makes a schedule, on which no technician is yet.',
    rest: { method: 'POST', path: '/technician-schedules' },
    access: scope('technicians:write'),
    errors: ['invalid_timezone', 'schedule_windows_overlap', 'schedule_name_taken'],
    etag: scheduleEtag,
    args: { input: t.arg({ type: TechnicianScheduleInput, required: true }) },
    resolve: async (_root, { input }, ctx) => {
      const content = scheduleContent(input, null)
      await lockSchedules(ctx)
      await checkNameIsFree(ctx, content.name, null)
      const schedule = await insertSchedule(ctx, { ...content, updated_by_user: editorOf(ctx) })
      ctx.location = `/technician-schedules/${schedule.id}`
      return schedule
    },
  }),
)

area.mutation('delete_technician_schedule', (t) =>
  t.field({
    type: TechnicianSchedule,
    description: 'Deletes a schedule that no technician is on, and answers with it as it was.',
    rest: { method: 'DELETE', path: '/technician-schedules/{schedule_id}' },
    access: scope('technicians:write'),
    errors: ['schedule_not_found', 'schedule_in_use', 'version_conflict'],
    etag: scheduleEtag,
    args: { schedule_id: t.arg(scheduleId) },
    resolve: async (_root, { schedule_id }, ctx) => {
      const schedule = await lockSchedule(ctx, schedule_id)
      checkIfMatch(ctx, scheduleEtag(schedule))
      const { technician_ids } = schedule
      if (technician_ids.length > 0) throw new ApiError('schedule_in_use', { details: { technician_ids } })
      await deleteSchedule(ctx, schedule)
      return schedule
    },
  }),
)
