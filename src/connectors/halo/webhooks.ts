/**
 * Webhooks of HaloPSA: of tickets alone, and of some events. What else changes is found by asking. Nothing is signed: the
 * connection's address has a secret. Sources: [RX] redanthrax/halopsa-node, HaloPsaTrigger; [KB] the vendor's webhook guide,
 * and those of `api.ts`.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Adapter, OpenedConnection, WebhookEvent } from '../adapter.ts'
import { maybe, text } from '../http/forms.ts'
import { type Api, instantOfEvent } from './api.ts'

/** The numbers of the events: logged, updated by its user, closed, status changed, deleted. [RX] */
const EVENTS = [3, 19, 39, 76, 1072]

const NAME = 'Automation Service'

/** Its id is a GUID. [SW] */
const WEBHOOK = z.object({ id: z.string().min(1).max(100), url: text })

type WebhookRow = z.infer<typeof WEBHOOK>

const NOTIFICATION = z.object({
  webhook_id: text,
  eventno: maybe(z.union([z.string().max(20), z.number()])),
})

/** A webhook that is sent by POST, as it happens. [RX] */
const OUTBOUND = {
  type: 0,
  method: 0,
  content_type: 'application/json',
  authentication_type: 0,
  batch_method: 0,
  active: true,
}

/** A notification of an agent's, which is delivered by the webhook. [RX] */
const TO_WEBHOOK = { name: '', type: -2, delivery_method: 6, agent_id: 0, filter_type: 2, conditions: [] }

const ID = z.union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,9}$/)]).transform(String)

/** The parts that are read; `event` is the name of the event. [KB, RX] Unverified: the names of the keys. */
const DELIVERY = z.object({
  id: z.union([z.string().max(100), z.number()]).nullish(),
  event: z.string().max(200).nullish(),
  object_id: ID.nullish(),
  timestamp: z.string().max(100).nullish(),
  ticket: z.object({ id: ID.nullish(), last_update: z.string().max(100).nullish() }).nullish(),
})

const DELIVERIES = z.union([z.array(DELIVERY).max(1000), DELIVERY.transform((one) => [one])])

const ID_DIGITS = 32

const actionOf = (event: string): WebhookEvent['action'] => {
  if (/deleted/i.test(event)) return 'DELETED'
  return /new ticket/i.test(event) ? 'ADDED' : 'UPDATED'
}

/** Unverified: that an id is one of the event, so that the time and the ticket belong to it. */
function eventId({ id, event, timestamp }: z.infer<typeof DELIVERY>, ticket_id: string): string | null {
  if (id == null && timestamp == null) return null
  const parts = JSON.stringify([id, event, timestamp, ticket_id])
  return createHash('sha256').update(parts).digest('hex').slice(0, ID_DIGITS)
}

function parsed(raw: Uint8Array): z.infer<typeof DELIVERIES> | null {
  try {
    return DELIVERIES.safeParse(JSON.parse(Buffer.from(raw).toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

type Connection = OpenedConnection<'HALO_PSA'>

export function webhooksOf(
  open: (connection: Connection) => Api,
): NonNullable<Adapter<never, 'HALO_PSA'>['webhooks']> {
  const registered = async (api: Api, url: string): Promise<WebhookRow[]> =>
    (await api.list(WEBHOOK, '/Webhook', { type: OUTBOUND.type })).filter((row) => row.url === url)
  return {
    async register(connection, url) {
      const api = open(connection)
      const [known] = await registered(api, url)
      const { id } = known ?? (await api.post(WEBHOOK, '/Webhook', { ...OUTBOUND, name: NAME, url }))
      const notifications = await api.list(NOTIFICATION, '/Notification', { webhook_id: id })
      const events = new Set(
        notifications.filter(({ webhook_id }) => webhook_id === id).map(({ eventno }) => Number(eventno)),
      )
      for (const event of EVENTS)
        if (!events.has(event))
          await api.post(z.unknown(), '/Notification', {
            ...TO_WEBHOOK,
            webhook_id: id,
            eventno: event,
          })
    },
    async remove(connection, url) {
      const api = open(connection)
      // Its notifications go with it. [RX]
      for (const { id } of await registered(api, url)) await api.delete(`/Webhook/${encodeURIComponent(id)}`)
    },
    async verify(_connection, _headers, raw) {
      // The address has been checked; anything that is no delivery did not come from the system.
      const deliveries = parsed(raw)
      if (!deliveries) return null
      return deliveries.flatMap((delivery) => {
        const id = delivery.ticket?.id ?? delivery.object_id
        if (!id) return []
        const action = actionOf(delivery.event ?? '')
        const changed_at = instantOfEvent(delivery.ticket?.last_update ?? delivery.timestamp)
        return [{ kind: 'TICKET' as const, id, action, event_id: eventId(delivery, id), changed_at }]
      })
    },
  }
}
