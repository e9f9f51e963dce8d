import { scope } from '../../../access/policies/policies.ts'
import { approvalUnlessTurnedOff } from '../../../schema/approval.ts'
import { onTable } from '../../../schema/tables/operations.ts'
import { area } from '../area.ts'
import { edited } from '../rules.ts'
import { editorOf, type GivenSchedule, scheduleContent, TechnicianScheduleInput } from './input.ts'
import { checkNameIsFree, SCHEDULE } from './queries.ts'

interface Replacement {
  schedule_id: number
  input: GivenSchedule
}

const approval = approvalUnlessTurnedOff('TECHNICIANS', {
  async describe(ctx, { schedule_id, input }: Replacement) {
    const stored = await SCHEDULE.select(ctx, schedule_id, new Set(['name', 'timezone', 'technician_ids']))
    const { timezone, windows } = scheduleContent(input, stored.timezone)
    return {
      title: `Replace the schedule ${stored.name}`,
      summary:
        `Gives the schedule ${windows.length} windows in the zone ${timezone}, and the name ${input.name}. The number of ` +
        `technicians on it is ${stored.technician_ids.length}.`,
    }
  },
})

onTable(area, SCHEDULE).change('replace_technician_schedule', {
  description:
    'Replaces the name, the windows and the time zone of a schedule. Every technician on it gets the new hours.',
  rest: { method: 'PUT', path: '/technician-schedules/{schedule_id}' },
  access: scope('technicians:write'),
  approval,
  errors: ['invalid_timezone', 'schedule_windows_overlap', 'schedule_name_taken'],
  input: TechnicianScheduleInput,
  change: (ctx, { input }) => ({
    verb: 'replaced',
    decide: (stored) => edited(stored, scheduleContent(input, stored.timezone), editorOf(ctx)),
    beforeWrite: ({ id }) => checkNameIsFree(ctx, input.name, id),
  }),
})
