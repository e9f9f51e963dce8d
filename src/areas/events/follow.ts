/** Followers of the feed: the subscription `event_feed`. */
import { tenancyOf } from '../../db/db.ts'
import type { Context } from '../../gateway/context.ts'
import { Mailbox } from '../../lib/mailbox.ts'
import type { Update } from '../../schema/live/live.ts'
import { type EventRow, endOfFeed, type FeedPage, readFeed } from './feed.ts'

/** An event as a subscriber gets it. */
export type EventUpdate = EventRow & Update

const PAGE = 50

/** Milliseconds for which a follower who takes events slowly is given what has been read: sight may change. */
const FRESH_MS = 1_000

/**
 * Follows the feed for the caller, from the event `after` on, or from now on. The feed itself keeps what a slow follower
 * has yet to take. A wake-up that is lost delays events until the next one, 5 s at most.
 */
export async function followFeed(
  ctx: Context,
  after: string | null,
  types: ReadonlySet<string> | null,
): Promise<AsyncGenerator<EventUpdate>> {
  const { subscription, services } = ctx
  if (!subscription) throw new Error('The feed was followed outside a subscription')
  const { signal, last_event_id } = subscription
  const own = { ...ctx, reads: null }
  const wakings = new Mailbox<true>()
  const leave = await services.change_feed.follow(
    tenancyOf(ctx),
    () => {},
    () => {
      if (wakings.size === 0) wakings.push(true)
    },
  )
  const stop = (): void => {
    leave()
    wakings.fail(signal.reason)
  }
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  let position = last_event_id ?? after ?? (await endOfFeed(own))
  subscription.position = position
  const readOn = () => readFeed(own, { after: position, types, size: PAGE })
  let next: FeedPage | null = await readOn()

  async function* all(): AsyncGenerator<EventUpdate> {
    for (;;) {
      const { items, pagination, read_at }: FeedPage = next ?? (await readOn())
      next = null
      let is_fresh = true
      for (const event of items) {
        is_fresh = performance.now() - read_at < FRESH_MS
        if (!is_fresh) break
        position = event.event_id
        yield { ...event, id: position, entity_id: position, status: null, read_at }
      }
      if (!is_fresh) continue
      position = pagination.next_cursor ?? position
      if (!pagination.has_more) await wakings.next()
    }
  }
  return all()
}
