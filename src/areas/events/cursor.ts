/** Cursors of areas that do something for each event of a feed: what is behind the cursor of a tenant is done, for good. */
import { type DatabaseContext, scoped, scopedInsert, sql } from '../../db/db.ts'

/** The stretch of a feed that is done next: the events after `from`, up to `upto`. */
export interface NextEvents {
  from: number
  upto: number
}

/** The most events of a stretch. */
const STRETCH = 1000

/** The cursors in a table whose rows are `tenant_id`, `environment` and `sequence`. */
export function feedCursor(table: string) {
  const begin = scopedInsert(
    `events.begin_${table}`,
    `insert into ${table} (tenant_id, environment, sequence)
     select $1, $2, coalesce((select f.last_sequence from event_feed f where f.tenant_id = $1 and f.environment = $2), 0)
     on conflict do nothing`,
  )
  const next = scoped(
    `events.next_of_${table}`,
    `select c.sequence as from,
       (select max(next.sequence) from (select e.sequence from live_event e
          where e.tenant_id = $1 and e.environment = $2 and e.sequence > c.sequence
          order by e.sequence limit ${STRETCH}) next) as upto
     from ${table} c where c.tenant_id = $1 and c.environment = $2 for update skip locked`,
  )
  const move = scoped(
    `events.move_${table}`,
    `update ${table} c set sequence = $3::bigint where c.tenant_id = $1 and c.environment = $2`,
  )
  return {
    /** SQL: true if the feed has events after the cursor `c`, of the environment. */
    isBehind: (environment: string): string => `c.sequence < (select f.last_sequence from event_feed f
      where f.tenant_id = c.tenant_id and f.environment = ${environment})`,
    /** Begins with the events from now on, unless the tenant and environment have a cursor. */
    async begin(ctx: DatabaseContext): Promise<void> {
      await sql(ctx, begin, [])
    },
    /**
     * Does the work of the next events, and moves the cursor behind these, in a transaction. False: there are none, or another
     * process has the cursor.
     */
    async advance(ctx: DatabaseContext, work: (events: NextEvents) => Promise<void>): Promise<boolean> {
      const [cursor] = await sql<{ from: number; upto: number | null }>(ctx, next)
      if (!cursor || cursor.upto === null) return false
      const { from, upto } = cursor
      await work({ from, upto })
      await sql(ctx, move, [upto])
      return true
    },
  }
}
