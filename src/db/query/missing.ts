/** Rows that a system no longer has. */
import { IS_MARKABLE, isMarkable, type MissingRows } from '../../lib/missing-rows.ts'
import { type DatabaseContext, scoped, sql } from '../db.ts'

export interface Marked {
  /** The rows that were marked. */
  missing: number
  /** The numbers of a system that gave too little, of whose rows none was marked; null: all that are gone were. */
  withheld: MissingRows | null
}

/** SQL conditions and an assignment. `$3` is the present instant; values of their own begin with `$5`. */
interface MissingSql {
  table: string
  /** Rows that are not marked. */
  present: string
  /** Present rows that are counted; left out: all of them. */
  counted?: string
  /** Present rows that the system no longer has. */
  gone: string
  /** Present rows that were there before the system was read. */
  there: string
  /** The mark. */
  set: string
  /**
   * An insert of the events that the mark raises, made of the rows that were `marked`. The table has them in it as they were
   * before.
   */
  raises?: string
}

type MarkMissing = (
  ctx: DatabaseContext & { now: Date },
  accept_missing: boolean,
  ...values: readonly unknown[]
) => Promise<Marked>

/** Counts and marks rows in one statement: all that are gone, or none if they are too many and not accepted. */
export function missingMarker(
  name: string,
  { table, present, counted = 'true', gone, there, set, raises }: MissingSql,
): MarkMissing {
  const rows = `tenant_id = $1 and environment = $2 and ${present}`
  const mark = scoped(
    name,
    `with counted as materialized (
       select count(*) filter (where ${gone})::int as gone, count(*) filter (where ${there})::int as there
       from ${table} where ${rows} and ${counted}
     ), marked as (
       update ${table} set ${set}, updated_at = $3::timestamptz
       where ${rows} and ${gone} and (select $4::boolean or ${IS_MARKABLE} from counted)${
         raises === undefined ? '' : `\n       returning *\n     ), raised as (${raises}`
       }
     ) select gone, there from counted`,
  )
  return async (ctx, accept_missing, ...values) => {
    const [counts = { gone: 0, there: 0 }] = await sql<MissingRows>(ctx, mark, [
      ctx.now,
      accept_missing,
      ...values,
    ])
    return accept_missing || isMarkable(counts)
      ? { missing: counts.gone, withheld: null }
      : { missing: 0, withheld: counts }
  }
}

type MarkUnread = (
  ctx: DatabaseContext & { now: Date },
  accept_missing: boolean,
  read_since: Date,
) => Promise<Marked>

interface UnreadSql extends Pick<MissingSql, 'present' | 'counted' | 'set' | 'raises'> {}

const INACTIVE: UnreadSql = { present: "status = 'ACTIVE'", set: "status = 'INACTIVE'" }

/** Marks the table's rows that were not read at this instant or later, as INACTIVE if nothing else is said; none is deleted. */
export const unreadMarker = (name: string, table: string, own: UnreadSql = INACTIVE): MarkUnread =>
  missingMarker(name, {
    table,
    gone: '(last_synced_at is null or last_synced_at < $5::timestamptz)',
    there: 'created_at < $5::timestamptz',
    ...own,
  })
