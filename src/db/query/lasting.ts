/**
 * Rows that last from one instant to another, such as a request until it is closed. Those that were there at an instant
 * are found by an index that begins with a class of how long they last: of each class, they began in so much time before.
 */
import type { Condition } from './list.ts'

/** Rows that last for less are in no class. */
export const SHORT = `'15 s'::interval`

/** The bounds of the classes. The longest one has no upper bound. */
const BOUNDS = `'{15 s,1 min,5 min,15 min,1 h,4 h,12 h,24 h,72 h,168 h,720 h,2160 h}'::interval[]`

interface Lasting {
  /** A table and its alias. */
  from: string
  id: string
  /** The columns of the two instants. */
  began: string
  ended: string
}

/**
 * The condition that rows began before an instant, ended at it or later, and did not last for a short time alone. The
 * table's index has such rows, and is on `tenant_id`, `environment`, the class, which is
 * `width_bucket(ended - began, BOUNDS)`, and `began`.
 */
export function spanning({ from, id, began, ended }: Lasting): (instant: unknown) => Condition {
  const [table, alias] = from.split(' ')
  // Without `offset 0` PostgreSQL could look for the instant first, and for the class in what it finds.
  const text = `${alias}.${id} = any(array(
    select lasting.${id} from unnest((${BOUNDS})[2:] || null) with ordinality as class (bound, number)
    cross join (select ?::timestamptz as at) instant
    cross join lateral (select l.${id} from ${table} l where l.tenant_id = $1 and l.environment = $2
      and l.${ended} - l.${began} >= ${SHORT}
      and width_bucket(l.${ended} - l.${began}, ${BOUNDS}) = class.number::int
      and l.${began} < instant.at and l.${began} > coalesce(instant.at - class.bound, '-infinity')
      and l.${ended} >= instant.at offset 0) lasting))`
  return (instant) => ({ text, values: [instant], is_indexed: true })
}
