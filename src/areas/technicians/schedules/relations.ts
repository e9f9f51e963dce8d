/** The relations between technicians and schedules, which GraphQL clients walk. */
import { select } from '../../../db/query/fragment.ts'
import { rowLoader } from '../../../schema/lists/data-loader.ts'
import type { Row } from '../../../schema/models.ts'
import { addField, madeOf } from '../../../schema/row-type.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { TECHNICIAN_COLUMNS, TECHNICIANS_ON_SCHEDULE } from '../queries.ts'
import { TechnicianProfile, TechnicianProfilePage, type TechnicianRow } from '../technician.ts'
import { SCHEDULE_COLUMNS } from './queries.ts'
import { type ScheduleRow, TechnicianSchedule } from './schedule.ts'

export const scheduleOf = rowLoader<number, ScheduleRow>(
  (ctx, ids, fields) => {
    const text = `select ${SCHEDULE_COLUMNS.select(fields)} from technician_schedule s
      where s.tenant_id = $1 and s.environment = $2 and s.id = any($ids::int[])`
    return select(ctx, 'TechnicianProfile.schedule', { text }, { ids })
  },
  ({ id }) => id,
)

export const technicianOf = rowLoader<number, TechnicianRow>(
  (ctx, ids, fields) => {
    const text = `select ${TECHNICIAN_COLUMNS.select(fields)} from technician_profile p
      where p.tenant_id = $1 and p.environment = $2 and p.id = any($ids::int[])`
    return select(ctx, 'technicians.of', { text }, { ids })
  },
  ({ id }) => id,
)

addField(TechnicianProfile, 'schedule', (t) =>
  t.field({
    type: TechnicianSchedule,
    nullable: true,
    graph_only: true,
    description: 'The schedule of the technician’s working hours. null: the technician is on none.',
    ...madeOf<TechnicianRow>()(['schedule_id'], ({ schedule_id: id }, _args, ctx, info) =>
      id === null ? null : scheduleOf(ctx, { id, fields: wantedFields(info) }),
    ),
  }),
)

addField(TechnicianSchedule, 'technicians', (t) =>
  t.field({
    type: TechnicianProfilePage,
    graph_only: true,
    description: 'The technicians on the schedule, by name in any letter case.',
    ...TECHNICIANS_ON_SCHEDULE.below<Row<'TechnicianSchedule'>>('id'),
  }),
)
