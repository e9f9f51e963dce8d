/** Schedules as callers send them. */
import { callerOf, recordedName } from '../../../access/viewer.ts'
import { invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { builder } from '../../../schema/builder.ts'
import { checkZone } from '../../../schema/scalars/time-zone.ts'
import type { ScheduleRow } from './schedule.ts'
import { CLOCK, CLOCK_OR_MIDNIGHT, DAY_NAME, type GivenWindow, validateWindows } from './windows.ts'

const ScheduleWindowInput = builder.inputType('TechnicianScheduleWindowInput', {
  description: 'Working hours of one day. Hours past midnight are a second window on the next day.',
  fields: (t) => ({
    // Contract silent: names of days are taken in any letter case, and by their first three letters.
    day: t.string({
      required: true,
      min_length: 3,
      max_length: 9,
      form: DAY_NAME,
      description: 'The day such as `MONDAY`, in any letter case, or its first three letters.',
    }),
    start_time: t.string({
      required: true,
      pattern: { matches: CLOCK, expected: 'a time of day, H:MM or HH:MM' },
      description: 'The start such as `09:00`.',
    }),
    end_time: t.string({
      required: true,
      pattern: { matches: CLOCK_OR_MIDNIGHT, expected: 'a time of day, H:MM or HH:MM, or 24:00' },
      description: 'The end such as `17:30`, later than the start. `24:00` is the end of the day.',
    }),
  }),
})

export const TechnicianScheduleInput = builder.inputType('TechnicianScheduleInput', {
  description: 'A schedule.',
  fields: (t) => ({
    name: t.string({
      required: true,
      min_length: 1,
      max_length: 100,
      description: 'No other schedule has it, in whatever letter case.',
    }),
    timezone: t.field({
      type: 'TimeZone',
      required: true,
      description:
        'The zone that the windows are in: a name of the IANA time zone database, aliases included, in its own ' +
        'letter case.',
    }),
    // Contract silent: a schedule without windows is taken; no technician on it is ever available.
    windows: t.field({
      type: [ScheduleWindowInput],
      required: true,
      max_items: 50,
      description: 'The hours of a week, in any order. No two of them overlap.',
    }),
  }),
})

export interface GivenSchedule {
  name: string
  timezone: string
  windows: readonly GivenWindow[]
}

type Content = Pick<ScheduleRow, 'name' | 'timezone' | 'windows'>

/** The content of the schedule; an error if a rule speaks against it. `stored` is the zone until now. */
export function scheduleContent({ name, timezone, windows }: GivenSchedule, stored: string | null): Content {
  checkZone(timezone, stored)
  const result = validateWindows(windows)
  if ('problems' in result) throw invalid(result.problems, result.code)
  return { name, timezone, windows: result.windows }
}

/** The name by which schedules say who changed them. */
export const editorOf = (ctx: Context): string => recordedName(callerOf(ctx))
