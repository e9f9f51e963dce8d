/** The relations between technicians and schedules, which GraphQL clients walk. */
import { select } from '../../db/fragment.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { dataLoader } from '../../schema/data-loader.ts'
import { madeOf } from '../../schema/made-of.ts'
import { wantedFields } from '../../schema/selection.ts'
import { TECHNICIAN_COLUMNS, TECHNICIANS_ON_SCHEDULE } from './queries.ts'
import { type ScheduleRow, TechnicianSchedule } from './schedule.ts'
import { SCHEDULE_COLUMNS } from './schedule-queries.ts'
import { TechnicianProfile, TechnicianProfilePage, type TechnicianRow } from './technician.ts'

interface Wanted {
  id: number
  fields: ReadonlySet<string>
}

const union = (wanted: readonly Wanted[]): ReadonlySet<string> =>
  new Set(wanted.flatMap(({ fields }) => [...fields]))

const idsOf = (wanted: readonly Wanted[]): number[] => [...new Set(wanted.map(({ id }) => id))]

export const scheduleOf = dataLoader<Wanted, ScheduleRow | null>(async (ctx, wanted) => {
  const text = `select ${SCHEDULE_COLUMNS.select(union(wanted))} from technician_schedule s
    where s.tenant_id = $1 and s.environment = $2 and s.id = any($ids::int[])`
  const rows = await select<ScheduleRow>(ctx, 'TechnicianProfile.schedule', { text }, { ids: idsOf(wanted) })
  const schedules = new Map(rows.map((row) => [row.id, row]))
  return wanted.map(({ id }) => schedules.get(id) ?? null)
})

export const technicianOf = dataLoader<Wanted, TechnicianRow | null>(async (ctx, wanted) => {
  const text = `select ${TECHNICIAN_COLUMNS.select(union(wanted))} from technician_profile p
    where p.tenant_id = $1 and p.environment = $2 and p.id = any($ids::int[])`
  const rows = await select<TechnicianRow>(ctx, 'technicians.of', { text }, { ids: idsOf(wanted) })
  const technicians = new Map(rows.map((row) => [row.id, row]))
  return wanted.map(({ id }) => technicians.get(id) ?? null)
})

builder.objectField(TechnicianProfile, 'schedule', (t) =>
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

builder.objectField(TechnicianSchedule, 'technicians', (t) =>
  t.field({
    type: TechnicianProfilePage,
    graph_only: true,
    description: 'The technicians on the schedule, by name in any letter case.',
    args: TECHNICIANS_ON_SCHEDULE.args,
    resolve: ({ id }, args, ctx: Context, info) =>
      TECHNICIANS_ON_SCHEDULE.page(ctx, id, args, wantedFields(info, 'items')),
  }),
)
