import { addEvents } from '../../setup/events.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'

/** Events that everybody of the tenant sees. */
const SHOWN = 'dispatch.suggested'

export const SUITES: AreaSuites = {
  who_may: {
    events: { scope: 'webhooks:read' },
    event: { scope: 'webhooks:read' },
    event_feed: { scope: 'webhooks:read' },
  },
  examples: {
    reads: {
      events: { event_types: ['execution.*', 'til_request.created'], page_size },
      event: { event_id: from('events', 'id') },
    },
  },
  async own_rows(msp, { id, mark }) {
    const event_id = `evt_${id}`
    await addEvents(msp, [{ id: event_id, type: SHOWN, data: { name: mark } }])
    return { event_id }
  },
  async change_followed(msp) {
    const { tenant_id, database } = msp
    const rows = await database.prisma.liveEvent.findMany({ where: { tenant_id, type: SHOWN } })
    for (const { environment, data } of rows)
      await addEvents({ ...msp, environment }, [{ type: SHOWN, data: data as object }])
  },
  error_codes: {
    404: 'event_not_found',
  },
  foreign_tables: {
    event_feed: 'cursors begin after the last event of the feed, which migrations and the relay keep',
    live_event: 'the outbox lies below the areas, whose activities and triggers write its rows',
  },
}
