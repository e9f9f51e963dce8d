import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Events',
  slug: 'events',
  description:
    'What happens to the things of the tenant, as a feed in the order of commit, oldest first, for 30 days. A follower reads ' +
    'on from the last event that it has: it misses none and gets none twice, over restarts too. A caller gets the events of ' +
    'what they may see. `/schemas/event-types` lists the types.',
  example: `
query Feed {
  events(event_types: ["execution.*", "til_request.created"], page_size: 20) {
    items { id type severity sequence timestamp data }
    pagination { next_cursor has_more }
  }
}

# subscription Follow {
#   event_feed { id type timestamp data }
# }`,
})
