import { scope } from '../../../access/policies/policies.ts'
import { ApiError } from '../../../errors/errors.ts'
import { addPages } from '../../../schema/lists/list-operation.ts'
import { onTable } from '../../../schema/tables/operations.ts'
import { area } from '../area.ts'
import { TECHNICIANS_ON_SCHEDULE } from '../queries.ts'
import { TechnicianProfile } from '../technician.ts'
import { editorOf, scheduleContent, TechnicianScheduleInput } from './input.ts'
import { checkNameIsFree, SCHEDULE, TECHNICIAN_SCHEDULES } from './queries.ts'
import { TechnicianSchedule } from './schedule.ts'

const schedules = onTable(area, SCHEDULE)

schedules.list('technician_schedules', TECHNICIAN_SCHEDULES, {
  description: 'Lists the schedules of technicians’ working hours, by name in any letter case.',
  rest: { method: 'GET', path: '/technician-schedules' },
  access: scope('technicians:read'),
})

schedules.read('technician_schedule', {
  description: 'Gets a schedule of technicians’ working hours.',
  rest: { method: 'GET', path: '/technician-schedules/{schedule_id}' },
  access: scope('technicians:read'),
})

schedules.create('create_technician_schedule', {
  description: 'Makes a schedule, on which no technician is yet.',
  rest: { method: 'POST', path: '/technician-schedules' },
  access: scope('technicians:write'),
  errors: ['invalid_timezone', 'schedule_windows_overlap', 'schedule_name_taken'],
  input: TechnicianScheduleInput,
  async values(ctx, input) {
    const content = scheduleContent(input, null)
    await checkNameIsFree(ctx, content.name, null)
    return { ...content, updated_by_user: editorOf(ctx) }
  },
})

schedules.remove('delete_technician_schedule', {
  description: 'Deletes a schedule that no technician is on, and answers with it as it was.',
  rest: { method: 'DELETE', path: '/technician-schedules/{schedule_id}' },
  access: scope('technicians:write'),
  errors: ['schedule_in_use'],
  removal: () => ({
    check({ technician_ids }) {
      if (technician_ids.length > 0) throw new ApiError('schedule_in_use', { details: { technician_ids } })
    },
  }),
})

addPages(TechnicianSchedule, 'technicians', TECHNICIANS_ON_SCHEDULE, 'id', {
  of: TechnicianProfile,
  description: 'The technicians on the schedule, by name in any letter case.',
})
