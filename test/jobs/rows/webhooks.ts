/** Rows of events that are sent to endpoints, at a host that there is not. */
import { addEvents } from '../../setup/events.ts'
import { addDeliveries, addEndpoints } from '../../setup/webhook-rows.ts'
import type { Msp } from '../../setup/world.ts'
import { at, type Rows } from './rows.ts'

const TYPE = 'dispatch.suggested'

/** An event of the feed. */
const addEvent = (msp: Msp, id: string): Promise<void> =>
  addEvents(msp, [{ id, type: TYPE, data: { name: id } }])

/** An endpoint with an event that nobody has tried to send. */
const sending = (name: string): Rows => ({
  async store(msp) {
    await addEvent(msp, `evt_${name}`)
    await addEndpoints(msp, [{ id: `whe_${name}` }])
    const of = { endpoint_id: `whe_${name}`, event_id: `evt_${name}` }
    await addDeliveries(msp, [{ id: `whd_${name}`, ...of, status: 'PENDING' }])
    return { endpoint_id: of.endpoint_id }
  },
  todo: `select 1 from webhook_delivery where environment = $1 and id = 'whd_${name}' and attempts = '[]'`,
})

export const WEBHOOKS: Record<string, Rows> = {
  'webhooks.send': sending('sent'),
  'webhooks.send_slowly': sending('sent_slowly'),
  'webhooks.queue': {
    async store(msp) {
      await addEndpoints(msp, [{ id: 'whe_queue' }])
      await msp.database.prisma.webhookCursor.create({ data: { ...at(msp), sequence: 0 } })
      await addEvent(msp, 'evt_queue')
    },
    todo: `select 1 from live_event e where e.environment = $1 and e.event_id = 'evt_queue' and not exists (
      select from webhook_delivery d where d.environment = e.environment and d.endpoint_id = 'whe_queue'
        and d.event_id = e.event_id)`,
  },
}
