/** Working hours of the demo MSP’s technicians. */
import { DAYS, type Day, type Window } from '../areas/technicians/schedules/windows.ts'
import type { Seeding } from './seeding.ts'

const WEEKDAYS: readonly Day[] = DAYS.slice(0, 5)

const on = (days: readonly Day[], start_time: string, end_time: string): Window[] =>
  days.map((day) => ({ day, start_time, end_time }))

interface Schedule {
  name: string
  windows: readonly Window[]
  /** Days since it was made. */
  made: number
  /** Days since it last changed, and minutes beyond them. */
  changed: readonly [days: number, minutes: number]
  by: string
}

const LONDON = 'Europe/London'

const minuteOf = ({ day, start_time }: Window): string => `${DAYS.indexOf(day)} ${start_time}`

const inOrder = (windows: readonly Window[]): Window[] =>
  windows.toSorted((one, other) => (minuteOf(one) < minuteOf(other) ? -1 : 1))

/** The day shift as a request to technicians asked for it, which was approved. */
export const DAY_SHIFT = {
  name: 'Day shift',
  timezone: LONDON,
  windows: inOrder([...on(WEEKDAYS, '08:00', '12:30'), ...on(WEEKDAYS, '13:15', '17:30')]),
}

/** The days since that request, and the minutes until technicians decide. */
export const DAY_SHIFT_ASKED = 6
export const DECIDED_AFTER = 95

const SCHEDULES: readonly Schedule[] = [
  { ...DAY_SHIFT, made: 380, changed: [DAY_SHIFT_ASKED, -DECIDED_AFTER], by: 'Tomasz Zieliński' },
  {
    name: 'Late shift',
    windows: [...on(WEEKDAYS, '11:30', '20:00'), ...on(['SATURDAY'], '09:00', '13:00')],
    made: 380,
    changed: [121, 0],
    by: 'Maeve Donnelly',
  },
  {
    // From Friday evening to Monday morning.
    name: 'Weekend on-call',
    windows: [
      ...on(['MONDAY'], '00:00', '08:00'),
      ...on(['FRIDAY'], '18:00', '24:00'),
      ...on(['SATURDAY', 'SUNDAY'], '00:00', '24:00'),
    ],
    made: 380,
    changed: [380, 0],
    by: 'Maeve Donnelly',
  },
]

export async function seedSchedules({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.technicianSchedule.createMany({
    data: SCHEDULES.map(({ name, windows, made, changed: [days, minutes], by }) => ({
      ...tenancy,
      name,
      timezone: LONDON,
      windows: inOrder(windows),
      updated_by_user: by,
      revision: made === days ? 2 : 3,
      created_at: ago(made),
      updated_at: ago(days, minutes),
    })),
  })
}
