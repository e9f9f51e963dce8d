import { scope } from '../../../access/policies/policies.ts'
import { approvalUnlessTurnedOff } from '../../../schema/approval.ts'
import { change } from '../../../schema/changes/change.ts'
import { area } from '../area.ts'
import { edited } from '../rules.ts'
import { editorOf, type GivenSchedule, scheduleContent, TechnicianScheduleInput } from './input.ts'
import { checkNameIsFree, lockSchedule, readSchedule, SCHEDULE } from './queries.ts'
import { scheduleEtag, scheduleId, TechnicianSchedule } from './schedule.ts'

interface Replacement {
  schedule_id: number
  input: GivenSchedule
}

const approval = approvalUnlessTurnedOff('TECHNICIANS', {
  async describe(ctx, { schedule_id, input }: Replacement) {
    const stored = await readSchedule(ctx, schedule_id, new Set(['name', 'timezone', 'technician_ids']))
    const { timezone, windows } = scheduleContent(input, stored.timezone)
    return {
      title: `Replace the schedule ${stored.name}`,
      summary:
        `Gives the schedule ${windows.length} windows in the zone ${timezone}, and the name ${input.name}. The number of ` +
        `technicians on it is ${stored.technician_ids.length}.`,
    }
  },
})

area.mutation('replace_technician_schedule', (t) =>
  t.field({
    type: TechnicianSchedule,
    description:
      'Replaces the name, the windows and the time zone of a schedule. Every technician on it gets the new hours.',
    rest: { method: 'PUT', path: '/technician-schedules/{schedule_id}' },
    access: scope('technicians:write'),
    approval,
    errors: [
      'schedule_not_found',
      'invalid_timezone',
      'schedule_windows_overlap',
      'schedule_name_taken',
      'version_conflict',
    ],
    etag: scheduleEtag,
    args: {
      schedule_id: t.arg(scheduleId),
      input: t.arg({ type: TechnicianScheduleInput, required: true }),
    },
    resolve: (_root, { schedule_id, input }, ctx) =>
      change(ctx, SCHEDULE, lockSchedule(ctx, schedule_id), {
        verb: 'replaced',
        decide: (stored) => edited(stored, scheduleContent(input, stored.timezone), editorOf(ctx)),
        beforeWrite: ({ id }) => checkNameIsFree(ctx, input.name, id),
      }),
  }),
)
