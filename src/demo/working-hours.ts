/** Times of activity at a service desk. */
import type { Random } from './seeding.ts'

export interface Times {
  /** Number on a working day; weekends have a fraction of it. */
  a_day: number
  weekend: number
  /** Weight of each hour of the day. */
  hours: readonly number[]
  /** Range in days ago. */
  from?: number | null
  to?: number | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Office hours: most between eight and six, less at noon, a little at night. */
export const OFFICE: readonly number[] = [
  1, 0, 0, 0, 0, 1, 2, 8, 22, 30, 28, 24, 14, 22, 26, 24, 20, 14, 6, 4, 3, 2, 2, 1,
]

export const AT_TWO: readonly number[] = Array.from({ length: 24 }, (_, hour) => (hour === 2 ? 1 : 0))

/** Midnight in UTC, that many days ago. */
export const midnight = (now: Date, days: number): Date =>
  new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - days * DAY_MS)

export const isWeekend = (day: Date): boolean => [0, 6].includes(day.getUTCDay())

function hourOf(hours: readonly number[], random: Random): number {
  let left = random.fraction() * hours.reduce((sum, weight) => sum + weight, 0)
  return Math.max(
    0,
    hours.findIndex((weight) => {
      left -= weight
      return left < 0
    }),
  )
}

/** Instants of the last `days` days and of today, some of them in the future. */
export const busyTimes = (now: Date, days: number, times: Times, random: Random): Date[] =>
  Array.from({ length: days + 1 }, (_, index) => days - index)
    .filter((ago) => ago <= (times.from ?? days) && ago >= (times.to ?? 0))
    .flatMap((ago) => {
      const day = midnight(now, ago)
      const expected = times.a_day * (isWeekend(day) ? times.weekend : 1)
      const count = Math.round(expected * (0.8 + 0.4 * random.fraction()))
      return Array.from({ length: count }, () => {
        const at = day.getTime() + (hourOf(times.hours, random) + random.fraction()) * HOUR_MS
        return new Date(Math.floor(at))
      })
    })
