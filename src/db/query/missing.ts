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
  /** Present rows that the system no longer has. */
  gone: string
  /** Present rows that were there before the system was read. */
  there: string
  /** The mark. */
  set: string
}

type MarkMissing = (
  ctx: DatabaseContext & { now: Date },
  accept_missing: boolean,
  ...values: readonly unknown[]
) => Promise<Marked>

/** Counts and marks rows in one statement: all that are gone, or none if they are too many and not accepted. */
export function missingMarker(name: string, { table, present, gone, there, set }: MissingSql): MarkMissing {
  const rows = `tenant_id = $1 and environment = $2 and ${present}`
  const mark = scoped(
    name,
    `with counted as materialized (
       select count(*) filter (where ${gone})::int as gone, count(*) filter (where ${there})::int as there
       from ${table} where ${rows}
     ), marked as (
       update ${table} set ${set}, updated_at = $3::timestamptz
       where ${rows} and ${gone} and (select $4::boolean or ${IS_MARKABLE} from counted)
       returning tenant_id
     ) select gone, there, (select count(*)::int from marked) as missing from counted`,
  )
  return async (ctx, accept_missing, ...values) => {
    const [row] = await sql<MissingRows & Pick<Marked, 'missing'>>(ctx, mark, [
      ctx.now,
      accept_missing,
      ...values,
    ])
    const { missing, ...counts } = row ?? { missing: 0, gone: 0, there: 0 }
    return { missing, withheld: accept_missing || isMarkable(counts) ? null : counts }
  }
}

type MarkUnread = (
  ctx: DatabaseContext & { now: Date },
  accept_missing: boolean,
  read_since: Date,
) => Promise<Marked>

/** Marks the table's rows that were not read at this instant or later as INACTIVE; none is deleted. */
export const unreadMarker = (name: string, table: string): MarkUnread =>
  missingMarker(name, {
    table,
    present: `status = 'ACTIVE'`,
    gone: '(last_synced_at is null or last_synced_at < $5::timestamptz)',
    there: 'created_at < $5::timestamptz',
    set: `status = 'INACTIVE'`,
  })
