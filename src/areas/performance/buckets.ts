/** The SQL of several windows at once: a row for each, whose parts `partsOf` sums up. */
import type { Window } from '../../lib/window.ts'
import { wholeDaysOf } from './rules.ts'

/** A row `bucket` for each window, with its number from 1 on as `place`. */
export const BUCKETS = `unnest(
      $starts::timestamptz[], $ends::timestamptz[], $days_from::timestamptz[], $days_to::timestamptz[]
    ) with ordinality bucket (starts, ends, days_from, days_to, place)`

/** The bounds of a bucket. Its days are those between its whole days' first instant and their end. */
export const BUCKET = {
  from: 'bucket.starts',
  to: 'bucket.ends',
  days_from: 'bucket.days_from',
  days_to: 'bucket.days_to',
  first_day: `(bucket.days_from at time zone 'UTC')`,
  last_day: `(bucket.days_to at time zone 'UTC')`,
} as const

/** The parameters of `BUCKETS`. */
export function bucketParameters(windows: readonly Window[]) {
  const days = windows.map(wholeDaysOf)
  return {
    starts: windows.map(({ from }) => from),
    ends: windows.map(({ to }) => to),
    days_from: days.map(({ from }) => from),
    days_to: days.map(({ to }) => to),
  }
}
