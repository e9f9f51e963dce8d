/**
 * The feed: the events of a tenant and environment, in the order of their sequence.
 *
 * A transaction that began earlier may commit later. So an event has no sequence while it is written: the relay gives it
 * one after its commit, above all that were given before. What a reader has read up to a sequence is complete for good.
 */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { EVENT_DAYS } from '../../db/live/events.ts'
import { select } from '../../db/query/fragment.ts'
import { ApiError, found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { daysBefore } from '../../lib/time.ts'
import type { Page } from '../../schema/lists/page.ts'
import { BEFORE_FIRST, endOfPage, type Stretch } from './rules.ts'
import { type Reader, readerOf, seenBy } from './sight.ts'

/** An event of a feed. */
export interface EventRow {
  event_id: string
  type: string
  sequence: number
  at: Date
  tenant_id: string
  environment: string
  data: unknown
}

/** The stretch of the feed of which a page is read, so that a page costs no more than that. */
const STRETCH = 5_000

const COLUMNS = 'e.event_id, e.type, e.sequence, e.at, e.tenant_id, e.environment, e.data'

const KEPT = `e.tenant_id = $1 and e.environment = $2 and e.sequence is not null
  and e.at > $since::timestamptz`

/** The parameter of `KEPT`. */
const keptOf = ({ now }: Pick<Context, 'now'>) => ({ since: daysBefore(now, EVENT_DAYS) })

const IN_STRETCH = `e.sequence >= (select sequence from first) and e.sequence < (select sequence from first) + ${STRETCH}`

const TAKE_OVER = scoped(
  'events.take_over',
  `select take_over_events($1, $2) as taken where exists (select from live_event e
     where e.tenant_id = $1 and e.environment = $2 and e.type <> '' and e.sequence is null)`,
)

/** Takes over what has been committed by now, so that the caller reads of every change that they know of. */
async function takeOver(ctx: Context): Promise<void> {
  for (let taken = 1; taken > 0; ) taken = (await sql(ctx, TAKE_OVER)).length
}

interface FeedRequest {
  after: string | null
  /** null: every type. */
  types: ReadonlySet<string> | null
  size: number
}

type PageRow = (EventRow | { event_id: null }) & Stretch & { is_known: boolean }

export interface FeedPage extends Page<EventRow> {
  /** The instant of the read, of `performance.now()`. */
  read_at: number
}

/** The events after the one with the id, or the oldest ones. */
export async function readFeed(ctx: Context, { after, types, size }: FeedRequest): Promise<FeedPage> {
  await takeOver(ctx)
  const reader = readerOf(ctx)
  const of_types = types ? ' and e.type = any($types::text[])' : ''
  const text = `with start as (
      select case when $after::text = '${BEFORE_FIRST}' then 0
        else (select e.sequence from live_event e where ${KEPT} and e.event_id = $after::text) end as sequence
    ), first as (
      select e.sequence from live_event e where ${KEPT} and e.sequence > (select sequence from start)
      order by e.sequence limit 1
    ), page as (
      select ${COLUMNS} from live_event e where ${KEPT} and ${IN_STRETCH} and ${seenBy(reader)}${of_types}
      order by e.sequence limit $size::int
    )
    select page.*, start.sequence is not null as is_known,
      (select e.event_id from live_event e where ${KEPT} and ${IN_STRETCH} order by e.sequence desc limit 1) as last,
      coalesce((select true from live_event e where ${KEPT} and e.sequence >= (select sequence from first) + ${STRETCH}
        order by e.sequence limit 1), false) as goes_on
    from start left join page on true order by page.sequence`
  const from = after ?? BEFORE_FIRST
  const parameters = { ...keptOf(ctx), ...reader, types: types && [...types], after: from, size: size + 1 }
  const rows = await select<PageRow>(ctx, 'events.page', { text }, parameters)
  const read_at = performance.now()
  const [stretch] = rows
  if (!stretch?.is_known) throw new ApiError('invalid_cursor', { details: { reason: 'EXPIRED' } })
  const events = rows.flatMap((row) => (row.event_id === null ? [] : [row]))
  return {
    items: events.slice(0, size),
    pagination: endOfPage(events, { after: from, size, stretch }),
    read_at,
  }
}

/** The event of the feed that the caller sees, or 404. */
export async function readEvent(ctx: Context, event_id: string): Promise<EventRow> {
  const reader = readerOf(ctx)
  const text = `select ${COLUMNS} from live_event e where ${KEPT} and e.event_id = $event_id::text
    and ${seenBy(reader)}`
  const parameters = { ...keptOf(ctx), ...reader, event_id }
  const [row] = await select<EventRow>(ctx, 'events.one', { text }, parameters)
  return found(row, 'event_not_found', event_id)
}

const LAST = `select e.event_id from live_event e where ${KEPT} order by e.sequence desc limit 1`

/** The events with the ids that the reader sees, of those that are kept. */
export async function eventsFor(
  ctx: DatabaseContext & { now: Date },
  reader: Reader,
  event_ids: readonly string[],
): Promise<Map<string, EventRow>> {
  const text = `select ${COLUMNS} from live_event e where ${KEPT} and e.event_id = any($event_ids::text[])
    and ${seenBy(reader)}`
  const rows = await select<EventRow>(ctx, 'events.some', { text }, { ...keptOf(ctx), ...reader, event_ids })
  return new Map(rows.map((row) => [row.event_id, row]))
}

/** The last event of the feed by now, seen or not. */
export async function endOfFeed(ctx: Context): Promise<string> {
  await takeOver(ctx)
  const [last] = await select<Pick<EventRow, 'event_id'>>(ctx, 'events.last', { text: LAST }, keptOf(ctx))
  return last?.event_id ?? BEFORE_FIRST
}
