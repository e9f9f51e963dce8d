/** The windows of schedules: their canonical form, and their rules. Pure, as `rules.ts` is. */
import { bodyProblem, type FieldError } from '../../../errors/errors.ts'
import type { Hours } from '../../../lib/weekly-hours.ts'

export const DAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const
export type Day = (typeof DAYS)[number]

/** A window in its canonical form: times are `HH:MM`. A type alias, since TypeScript takes no interface for JSON. */
export type Window = {
  day: Day
  start_time: string
  end_time: string
}

/** A window as it is sent: its times match `CLOCK` and `CLOCK_OR_MIDNIGHT`. */
export interface GivenWindow {
  day: string
  start_time: string
  end_time: string
}

export const CLOCK = /^(?:[01]?\d|2[0-3]):[0-5]\d$/
export const CLOCK_OR_MIDNIGHT = /^(?:(?:[01]?\d|2[0-3]):[0-5]\d|24:00)$/

const ABBREVIATED = 3

const inAnyCase = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`)

/** The names of days that `dayOf` takes, as a pattern. */
export const DAY_NAME = `^(?:${DAYS.map((day) => `${inAnyCase(day.slice(0, 3))}(?:${inAnyCase(day.slice(3))})?`).join('|')})$`

/** The day of a name in any letter case, or of its first three letters; null if there is none. */
export function dayOf(name: string): Day | null {
  const wanted = name.toUpperCase()
  return DAYS.find((day) => wanted === day || wanted === day.slice(0, ABBREVIATED)) ?? null
}

const timeOf = (text: string): string => text.padStart('HH:MM'.length, '0')

/** The window in its canonical form, or its problem. */
function canonical(given: GivenWindow, path: string): Window | FieldError {
  const day = dayOf(given.day)
  if (!day)
    return bodyProblem(`${path}.day`, 'enum', `must be one of ${DAYS.join(', ')}, or its first three letters`)
  const [start_time, end_time] = [timeOf(given.start_time), timeOf(given.end_time)]
  // Canonical times are in the order of their texts.
  if (start_time < end_time) return { day, start_time, end_time }
  const message = 'must be later than start_time; hours past midnight are a second window on the next day'
  return bodyProblem(`${path}.end_time`, 'order', message)
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const MINUTES_OF_DAY = 24 * 60

/** The window as minutes of the week. */
export function hoursOf({ day, start_time, end_time }: Window): Hours {
  const midnight = DAYS.indexOf(day) * MINUTES_OF_DAY
  return { start: midnight + minuteOf(start_time), end: midnight + minuteOf(end_time) }
}

const overlap = (one: Window, other: Window): boolean =>
  one.day === other.day && one.start_time < other.end_time && other.start_time < one.end_time

/** The problems of windows that share time with an earlier one. Windows that meet share none. */
const overlapProblems = (windows: readonly Window[]): FieldError[] =>
  windows.flatMap((window, index) => {
    const at = windows.findIndex((earlier) => overlap(window, earlier))
    const { day, start_time, end_time } = windows[at] ?? window
    if (at >= index) return []
    const message = `overlaps windows.${at}, ${day} ${start_time} to ${end_time}`
    return [bodyProblem(`windows.${index}`, 'schedule_windows_overlap', message)]
  })

type ValidatedWindows =
  | { windows: Window[] }
  | { code: 'request_validation_failed' | 'schedule_windows_overlap'; problems: FieldError[] }

const byStart = (one: Window, other: Window): number => hoursOf(one).start - hoursOf(other).start

/** The windows in their canonical form, by day and then by start; or their problems. */
export function validateWindows(given: readonly GivenWindow[]): ValidatedWindows {
  const results = given.map((window, index) => canonical(window, `windows.${index}`))
  const problems = results.filter((each) => 'field' in each)
  if (problems.length > 0) return { code: 'request_validation_failed', problems }
  const windows = results.filter((each) => 'day' in each)
  const overlaps = overlapProblems(windows)
  if (overlaps.length > 0) return { code: 'schedule_windows_overlap', problems: overlaps }
  return { windows: windows.sort(byStart) }
}
