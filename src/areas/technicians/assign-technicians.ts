import { scope } from '../../access/policies.ts'
import { invalid } from '../../errors.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/change.ts'
import { area } from './area.ts'
import { technicianIds } from './queries.ts'
import { edited, unknownTechnicians } from './rules.ts'
import { scheduleEtag, scheduleId, TechnicianSchedule } from './schedule.ts'
import { editorOf } from './schedule-input.ts'
import { lockOtherSchedules, lockSchedule, moveTechnicians, SCHEDULE } from './schedule-queries.ts'

const ScheduleAssignment = builder.inputType('TechnicianScheduleAssignment', {
  description: 'The technicians on the schedule.',
  fields: (t) => ({
    technician_ids: t.intList({
      required: true,
      description: 'Every technician who is to be on it; one that is there twice counts once. Empty: nobody.',
    }),
  }),
})

area.mutation('assign_schedule_technicians', (t) =>
  t.field({
    type: TechnicianSchedule,
    description:
      'Puts these technicians on the schedule, and no others. A technician is on one schedule at most: one who is ' +
      'on another leaves it.',
    rest: { method: 'PUT', path: '/technician-schedules/{schedule_id}/technicians' },
    access: scope('technicians:write'),
    errors: ['schedule_not_found', 'version_conflict'],
    etag: scheduleEtag,
    args: {
      schedule_id: t.arg(scheduleId),
      input: t.arg({ type: ScheduleAssignment, required: true }),
    },
    resolve: async (_root, { schedule_id, input: { technician_ids } }, ctx) => {
      const schedule = await lockSchedule(ctx, schedule_id)
      const ids = [...new Set(technician_ids)].sort((one, other) => one - other)
      const known = await technicianIds(ctx, ids)
      return await change(ctx, SCHEDULE, schedule, {
        verb: 'assigned',
        // Contract silent: a schedule that technicians leave for another one has changed too.
        others: await lockOtherSchedules(ctx, schedule, ids),
        decide(row) {
          const problems = unknownTechnicians('technician_ids', technician_ids, known)
          if (problems.length > 0) throw invalid(problems)
          const left = row.technician_ids.filter((id) => !ids.includes(id))
          return edited(row, { technician_ids: row === schedule ? ids : left }, editorOf(ctx))
        },
        meanwhile: () => moveTechnicians(ctx, schedule, ids),
      })
    },
  }),
)
