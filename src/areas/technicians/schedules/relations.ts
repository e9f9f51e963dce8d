/** The relations between technicians and schedules, which GraphQL clients walk. */
import { pageOf } from '../../../schema/lists/page.ts'
import type { Row } from '../../../schema/models.ts'
import { addField, madeOf } from '../../../schema/row-type.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { TECHNICIANS_ON_SCHEDULE } from '../queries.ts'
import { TechnicianProfile, type TechnicianRow } from '../technician.ts'
import { SCHEDULE } from './queries.ts'
import { TechnicianSchedule } from './schedule.ts'

addField(TechnicianProfile, 'schedule', (t) =>
  t.field({
    type: TechnicianSchedule,
    nullable: true,
    graph_only: true,
    description: 'The schedule of the technician’s working hours. null: the technician is on none.',
    ...madeOf<TechnicianRow>()(['schedule_id'], ({ schedule_id: id }, _args, ctx, info) =>
      id === null ? null : SCHEDULE.load(ctx, { id, fields: wantedFields(info) }),
    ),
  }),
)

addField(TechnicianSchedule, 'technicians', (t) =>
  t.field({
    type: pageOf(TechnicianProfile),
    graph_only: true,
    description: 'The technicians on the schedule, by name in any letter case.',
    ...TECHNICIANS_ON_SCHEDULE.below<Row<'TechnicianSchedule'>>('id'),
  }),
)
