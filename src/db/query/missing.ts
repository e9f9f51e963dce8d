/** Rows that a system no longer has. */
import { type DatabaseContext, scoped, sql } from '../db.ts'

type MarkMissing = (ctx: DatabaseContext & { now: Date }, read_since: Date) => Promise<number>

/** Marks the table's rows that were not read at this instant or later as INACTIVE; none is deleted. Their number. */
export function missingMarker(name: string, table: string): MarkMissing {
  const mark = scoped(
    name,
    `with marked as (
       update ${table} set status = 'INACTIVE', updated_at = $4::timestamptz
       where tenant_id = $1 and environment = $2 and status = 'ACTIVE'
         and (last_synced_at is null or last_synced_at < $3::timestamptz)
       returning id
     ) select count(*)::int as missing from marked`,
  )
  return async (ctx, read_since) => {
    const [row] = await sql<{ missing: number }>(ctx, mark, [read_since, ctx.now])
    return row?.missing ?? 0
  }
}
