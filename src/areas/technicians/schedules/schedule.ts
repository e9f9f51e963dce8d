/** A schedule as it is stored and answered. */
import { builder, described } from '../../../schema/builder.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'
import type { Day as DayName, Window } from './windows.ts'

export interface ScheduleRow extends Omit<Row<'TechnicianSchedule'>, 'windows'> {
  windows: Window[]
  technician_ids: number[]
}

const Day = builder.enumType('Day', {
  description: 'A day of the week.',
  values: described({
    MONDAY: 'The first day of the week.',
    TUESDAY: 'The second day.',
    WEDNESDAY: 'The third day.',
    THURSDAY: 'The fourth day.',
    FRIDAY: 'The fifth day.',
    SATURDAY: 'The sixth day.',
    SUNDAY: 'The last day of the week.',
  } satisfies Record<DayName, string>),
})

const TechnicianScheduleWindow = builder.objectRef<Window>('TechnicianScheduleWindow').implement({
  description: 'Working hours of one day.',
  fields: (t) => ({
    day: t.expose('day', { type: Day, description: 'The day, in the zone of the schedule.' }),
    start_time: t.exposeString('start_time', { description: 'The start, as `HH:MM`.' }),
    end_time: t.exposeString('end_time', {
      description: 'The end, as `HH:MM`. It is not in the window; `24:00` is the end of the day.',
    }),
  }),
})

const from = madeOf<ScheduleRow>()

export const TECHNICIAN_IDS = {
  description: 'The technicians on the schedule, in the order of their ids.',
  ...from('technician_ids'),
}

export const WINDOWS = {
  type: [TechnicianScheduleWindow] as [typeof TechnicianScheduleWindow],
  max_items: 50,
  description: 'The hours of a week, by day and then by start.',
  ...from('windows'),
}

export const TechnicianSchedule = rowType('TechnicianSchedule', {
  read_apart: true,
  fields: (t) => ({
    ...t.columns('id', 'name'),
    technician_ids: t.intList(TECHNICIAN_IDS),
    ...t.columns('timezone'),
    windows: t.field(WINDOWS),
    ...t.columns('updated_at', 'updated_by_user', 'revision'),
  }),
})
