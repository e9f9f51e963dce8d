/**
 * The events that triggers write about changed rows, read so that none is lost and none comes twice.
 *
 * The order in which transactions commit is not that of their ids, so a number cannot say where a reader stands: an
 * event with a lower one may become visible later. A reader keeps the snapshot that it has read up to, and reads next
 * the events of the transactions that this snapshot has not seen. The snapshot is kept up to the last event alone, since
 * PostgreSQL may give later ids again after a crash (`snapshotUpTo`); there are no events after it to be seen twice.
 */
import { type DatabaseContext, scoped, sql } from '../db.ts'
import { snapshotOf, snapshotUpTo } from './snapshot.ts'

export interface LiveEvent {
  transaction_id: number
  /** The order of the events of one transaction. */
  id: number
  kind: 'EXECUTION' | 'TIL_REQUEST' | 'INTEGRATION_SYNC' | 'INBOX_ITEM'
  entity_id: string
  agent_id: number | null
  at: Date
  /** null: the event was written before events had it. */
  status: string | null
}

/** The events that a reader has had: what `seen` has seen, and of what `reading` has seen those up to `last`. */
export interface LivePosition {
  seen: string
  /** Set if the reader is in the middle of what one snapshot added. */
  within?: { reading: string; last: readonly [transaction_id: number, id: number] } | undefined
}

export interface LiveBatch {
  events: LiveEvent[]
  /** The instant at which they had been read, of `performance.now()`: what is read after it knows of their changes. */
  read_at: number
  /** The snapshot that the events were read by. */
  reading: string
  /** The position after the events. */
  position: LivePosition
}

const PAGE = 500

/** The days for which live updates are kept, and a position can be gone back to. */
export const LIVE_EVENT_DAYS = 1

/** The days for which events of the feed are kept. */
export const EVENT_DAYS = 30

const NOW = scoped(
  'live_events.now',
  `select pg_current_snapshot()::text as snapshot,
     now() as at, coalesce($3::timestamptz < now() - interval '${LIVE_EVENT_DAYS} days', false) as expired,
     (select max(e.transaction_id) from live_event e
      where e.tenant_id = $1 and e.environment = $2) as last`,
)

// The snapshot of the statement is the one that decides which rows it sees. Of the rows that a transaction wrote of one
// thing, each an event of another type, the last one says what the thing has come to.
const READ = scoped(
  'live_events.read',
  `select r.reading::text as reading, e.*
   from (select coalesce($5::text::pg_snapshot, pg_current_snapshot()) as reading) r
   left join lateral (
     select e.transaction_id, e.id, e.kind::text as kind, e.entity_id, e.agent_id, e.at, e.status from live_event e
     where e.tenant_id = $1 and e.environment = $2 and e.kind is not null
       and e.transaction_id >= pg_snapshot_xmin($4::text::pg_snapshot)::text::bigint
       and (e.transaction_id, e.id) > ($6::bigint, $7::bigint)
       and not pg_visible_in_snapshot(e.transaction_id::text::xid8, $4::text::pg_snapshot)
       and pg_visible_in_snapshot(e.transaction_id::text::xid8, r.reading)
       and not exists (
         select from live_event later where later.tenant_id = $1 and later.environment = $2
           and later.transaction_id = e.transaction_id and later.kind = e.kind and later.entity_id = e.entity_id
           and later.id > e.id
       )
     order by e.transaction_id, e.id limit $3::int
   ) e on true
   order by e.transaction_id, e.id`,
)

type Row = { reading: string } & (LiveEvent | { transaction_id: null })

interface CurrentPosition {
  /** The snapshot of everything that has committed by now. */
  snapshot: string
  /** The snapshot as a position keeps it. */
  seen: string
  /** The database's time. */
  at: Date
  /** Events from `since` on are no longer all kept. */
  expired: boolean
}

/** The position after every event of the tenant and environment that has been committed by now. */
export async function currentPosition(
  ctx: DatabaseContext,
  since: Date | null = null,
): Promise<CurrentPosition> {
  const [row] = await sql<Omit<CurrentPosition, 'seen'> & { last: number | null }>(ctx, NOW, [since])
  if (!row) throw new Error('A statement without a condition found nothing')
  const { last, ...current } = row
  return { ...current, seen: snapshotUpTo(current.snapshot, (last ?? 0) + 1) }
}

/** The next events of the tenant and environment after the position, up to a number of them. */
export async function readLiveEvents(
  ctx: DatabaseContext,
  { seen, within }: LivePosition,
): Promise<LiveBatch> {
  const [transaction_id, id] = within?.last ?? [0, 0]
  const rows = await sql<Row>(ctx, READ, [PAGE, seen, within?.reading ?? null, transaction_id, id])
  const read_at = performance.now()
  const reading = rows[0]?.reading ?? seen
  const events = rows.filter((row): row is Row & LiveEvent => row.transaction_id !== null)
  const last = events.at(-1)
  if (last && events.length === PAGE) {
    const within = { reading, last: [last.transaction_id, last.id] as const }
    return { events, read_at, reading, position: { seen, within } }
  }
  const end = Math.max(snapshotOf(seen).xmax, (last?.transaction_id ?? transaction_id) + 1)
  return { events, read_at, reading, position: { seen: snapshotUpTo(reading, end) } }
}
