/** Inboxes follow the feed of events: the cursor of a tenant moves with its items, so that no event is left out or counts twice. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { type EnqueueContext, enqueueAll } from '../../jobs/enqueue.ts'
import type { ServiceContext } from '../../jobs/service-context.ts'
import { feedFollower, type NextEvents } from '../events/index.ts'
import { MAIL_ITEM } from './declared.ts'
import { factsOf } from './facts.ts'
import type { FeedEvent } from './rules/feed-event.ts'
import { type Occurrence, OPENING } from './rules/items.ts'
import { joined } from './rules/joined.ts'
import { partsOf } from './rules/parts.ts'
import { SETTLING } from './rules/settlements.ts'
import { openItems, settleItems } from './store.ts'

const EVENTS = scoped(
  'inbox.events',
  `select e.type, e.entity_id, e.agent_id, e.at, e.data from live_event e
   where e.tenant_id = $1 and e.environment = $2 and e.sequence > $3::bigint and e.sequence <= $4::bigint
     and e.type = any($5::text[])
   order by e.sequence`,
)

const TYPES = [...new Set([...OPENING, ...SETTLING])]

export type ItemsContext = DatabaseContext & EnqueueContext & { now: Date }

/** Stores the items, with the jobs that mail them, in a transaction. Returns how many are new or joined. */
export async function storeItems(ctx: ItemsContext, occurrences: readonly Occurrence[]): Promise<number> {
  const opened = await openItems(ctx, occurrences)
  const asked_at = ctx.now.toISOString()
  await enqueueAll(
    ctx,
    MAIL_ITEM,
    opened.flatMap(({ id, is_mailed }) => (is_mailed ? [{ payload: { item_id: id, asked_at } }] : [])),
  )
  return opened.length
}

/** Does what the inboxes do for the events, in a transaction: in parts, since what is settled is joined by nothing. */
async function take(ctx: ServiceContext, { from, upto }: NextEvents): Promise<void> {
  const events = await sql<FeedEvent>(ctx, EVENTS, [from, upto, TYPES])
  if (events.length === 0) return
  const facts = await factsOf(ctx, events)
  for (const { occurrences, settlements } of partsOf(events, facts)) {
    await storeItems(ctx, joined(occurrences))
    await settleItems(ctx, settlements)
  }
}

/** The inboxes begin with the feed. */
export const { followTenant, followEvents } = feedFollower({
  name: 'inbox.follow',
  table: 'inbox_cursor',
  work: take,
})
