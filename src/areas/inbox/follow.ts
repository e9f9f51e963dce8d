/** Inboxes follow the feed of events: the cursor of a tenant moves with its items, so that no event is left out or counts twice. */
import { type DatabaseContext, scoped, sql, type Tenancy } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { type EnqueueContext, enqueueAll } from '../../jobs/enqueue.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { feedCursor, type NextEvents } from '../events/index.ts'
import { MAIL_ITEM } from './declared.ts'
import { factsOf } from './facts.ts'
import { type FeedEvent, joined, type Occurrence, OPENING } from './rules/items.ts'
import { partsOf } from './rules/parts.ts'
import { SETTLING } from './rules/settlements.ts'
import { openItems, settleItems } from './store.ts'

/** The events up to it are in the inboxes. It begins with the feed. */
const CURSOR = feedCursor('inbox_cursor')

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

const BEHIND = statement(
  'inbox.tenants_behind',
  `select c.tenant_id from inbox_cursor c where c.environment = $1 and ${CURSOR.isBehind('$1')}`,
)

const TRANSACTION_MS = 30_000

/** Brings the tenant's new events into its inboxes. */
export async function followTenant(
  services: Services,
  tenancy: Tenancy,
  signal?: AbortSignal,
): Promise<void> {
  for (let goes_on = true; goes_on && !signal?.aborted; ) {
    const ctx = serviceContext(services, 'inbox.follow', 'inbox.follow', tenancy)
    goes_on = await inTransaction(ctx, TRANSACTION_MS, () =>
      CURSOR.advance(ctx, (events) => take(ctx, events)),
    )
  }
}

/** Brings new events into the inboxes of all tenants. */
export async function followEvents({ services, signal, log }: LoopContext): Promise<void> {
  const { database, environment } = services
  const tenants = await database.sql.rows<{ tenant_id: string }>(BEHIND, [environment])
  // A failure for one tenant keeps no item from the others.
  for (const { tenant_id } of tenants)
    await followTenant(services, { tenant_id, environment }, signal).catch((error) =>
      log.warn({ err: error, tenant_id }, 'inboxes do not follow the events'),
    )
}
