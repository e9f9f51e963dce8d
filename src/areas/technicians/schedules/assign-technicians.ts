import { scope } from '../../../access/policies/policies.ts'
import { invalid } from '../../../errors/errors.ts'
import { etagOf } from '../../../gateway/entity-tags.ts'
import { builder } from '../../../schema/builder.ts'
import { change } from '../../../schema/changes/change.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { area } from '../area.ts'
import { TECHNICIAN, technicianIds } from '../queries.ts'
import { edited, movedBetween, unknownTechnicians } from '../rules.ts'
import { TechnicianProfile } from '../technician.ts'
import { editorOf } from './input.ts'
import { ASSIGNMENT, moveTechnicians, OTHERS, SCHEDULE } from './queries.ts'
import { type ScheduleRow, TECHNICIAN_IDS, TechnicianSchedule, WINDOWS } from './schedule.ts'

/** The most technicians on a schedule. */
const MOST_TECHNICIANS = 200

const ScheduleAssignment = builder.inputType('TechnicianScheduleAssignment', {
  description: 'The technicians on the schedule.',
  fields: (t) => ({
    technician_ids: t.intList({
      required: true,
      max_items: MOST_TECHNICIANS,
      description: 'Every technician who is to be on it; one that is there twice counts once. Empty: none.',
    }),
  }),
})

/** The schedule after an assignment, with the ids of what else the assignment changed. */
interface AssignedRow extends ScheduleRow {
  moved_ids: readonly number[]
  left_schedule_ids: readonly number[]
}

const from = madeOf<AssignedRow>()

const AssignedSchedule = rowType('TechnicianSchedule', {
  variant: 'AssignedTechnicianSchedule',
  description: 'A schedule after an assignment, with what else the assignment changed.',
  fields: (t) => ({
    ...t.columns('id', 'name'),
    technician_ids: t.intList(TECHNICIAN_IDS),
    ...t.columns('timezone'),
    windows: t.field(WINDOWS),
    ...t.columns('updated_at', 'updated_by_user', 'revision'),
    schedules: t.field({
      type: [TechnicianSchedule],
      max_items: 1 + MOST_TECHNICIANS,
      graph_only: true,
      access: scope('technicians:read'),
      description: 'The schedule itself, and then those that technicians left for it, as they are now.',
      ...from(['id', 'left_schedule_ids'], async ({ id, left_schedule_ids }, _args, ctx, info) => {
        const fields = wantedFields(info)
        const rows = [id, ...left_schedule_ids].map((one) => SCHEDULE.load(ctx, { id: one, fields }))
        return (await Promise.all(rows)).filter((row) => row !== null)
      }),
    }),
    technicians: t.field({
      type: [TechnicianProfile],
      // Those who came, and those who left.
      max_items: 2 * MOST_TECHNICIANS,
      graph_only: true,
      access: scope('technicians:read'),
      description: 'The technicians who came to the schedule or left it, in the order of their ids.',
      ...from(['moved_ids'], async ({ moved_ids }, _args, ctx, info) => {
        const fields = wantedFields(info)
        const rows = moved_ids.map((id) => TECHNICIAN.load(ctx, { id, fields }))
        return (await Promise.all(rows)).filter((row) => row !== null)
      }),
    }),
  }),
})

// By hand: the answer has what else an assignment changes.
area.mutation('assign_schedule_technicians', (t) =>
  t.field({
    type: AssignedSchedule,
    description:
      'Puts these technicians on the schedule, and no others. A technician is on one schedule at most: one who is ' +
      'on another leaves it.',
    rest: { method: 'PUT', path: '/technician-schedules/{schedule_id}/technicians' },
    access: scope('technicians:write'),
    errors: ['schedule_not_found', 'version_conflict'],
    etag: ({ revision }) => etagOf(revision),
    args: {
      schedule_id: t.arg(SCHEDULE.key),
      input: t.arg({ type: ScheduleAssignment, required: true }),
    },
    resolve: async (_root, { schedule_id, input: { technician_ids } }, ctx) => {
      const schedule = await SCHEDULE.lock(ctx, schedule_id)
      const ids = [...new Set(technician_ids)].sort((one, other) => one - other)
      const known = await technicianIds(ctx, ids)
      const others = await SCHEDULE.lockAll(ctx, OTHERS, { id: schedule.id, ids })
      const assigned = await change(ctx, ASSIGNMENT, schedule, {
        verb: 'assigned',
        // Contract silent: a schedule that technicians leave for another one has changed too.
        others,
        decide(row) {
          const problems = unknownTechnicians('technician_ids', technician_ids, known)
          if (problems.length > 0) throw invalid(problems)
          const left = row.technician_ids.filter((id) => !ids.includes(id))
          return edited(row, { technician_ids: row === schedule ? ids : left }, editorOf(ctx))
        },
        beforeWrite: () => moveTechnicians(ctx, schedule, ids),
      })
      const moved_ids = movedBetween(schedule.technician_ids, ids)
      return { ...assigned, moved_ids, left_schedule_ids: others.map(({ id }) => id) }
    },
  }),
)
