import { scope } from '../../access/policies/policies.ts'
import { PAGE_SIZE } from '../../db/query/page-size.ts'
import { builder } from '../../schema/builder.ts'
import { pageOf } from '../../schema/lists/page.ts'
import { area } from './area.ts'
import { Event } from './event.ts'
import { readEvent, readFeed } from './feed.ts'
import { followFeed } from './follow.ts'
import { chosenTypes } from './types.ts'

// Contract silent: `webhooks:read` is enough for events of every area. They are thin, and a caller gets those alone of the
// agents and requests that they see.
const readers = scope('webhooks:read')

const feedArgs = builder.args((t) => ({
  after: t.id({
    description:
      'The id of the last event that the caller has; only events after it. Any event of the feed is good.',
  }),
  event_types: t.stringList({
    max_items: 100,
    description: 'Only events of these types: `*`, all types of a subject such as `execution.*`, or a type.',
  }),
}))

area.query('events', (t) =>
  t.field({
    type: pageOf(Event),
    description:
      'Lists events, the oldest first, in the order in which their changes were committed. `next_cursor` is the id to send ' +
      'next as `after`, on the last page too, and on a page that has no event for the caller: a follower that sends it ' +
      'misses no event. Events are kept for 30 days; an `after` that is older or unknown is 400 `invalid_cursor`.',
    rest: { method: 'GET', path: '/events' },
    access: readers,
    errors: ['invalid_cursor'],
    args: {
      ...feedArgs,
      page_size: t.arg.int({
        min: PAGE_SIZE.min,
        max: PAGE_SIZE.max,
        defaultValue: PAGE_SIZE.default,
        description: 'The most events on the page. A page may have fewer, and more may follow it.',
      }),
    },
    resolve: (_root, { after, event_types, page_size }, ctx) =>
      readFeed(ctx, {
        after: after ?? null,
        types: chosenTypes(event_types),
        size: page_size ?? PAGE_SIZE.default,
      }),
  }),
)

area.query('event', (t) =>
  t.field({
    type: Event,
    description: 'Gets an event of the feed.',
    rest: { method: 'GET', path: '/events/{event_id}' },
    access: readers,
    errors: ['event_not_found'],
    args: { event_id: t.arg.id({ required: true, description: 'The event.' }) },
    resolve: (_root, { event_id }, ctx) => readEvent(ctx, event_id),
  }),
)

area.subscription('event_feed', (t) =>
  t.field({
    type: Event,
    description:
      'Follows the feed: the events after `after`, then those that come, in the order of the feed. The id of an update is ' +
      'that of its event. A header Last-Event-ID takes precedence over `after`; without both nothing from before comes.',
    access: readers,
    errors: ['invalid_cursor'],
    args: feedArgs,
    subscribe: (_root, { after, event_types }, ctx) =>
      followFeed(ctx, after ?? null, chosenTypes(event_types)),
    resolve: (event) => event,
  }),
)
