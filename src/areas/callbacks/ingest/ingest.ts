/** Receives the events that a PSA sends to the address of its connection. */
import type { OpenedConnection, WebhookEvent } from '../../../connectors/adapter.ts'
import type { AnyAdapter } from '../../../connectors/connectors.ts'
import { PortUnavailable } from '../../../connectors/port.ts'
import { removeFromError, secretRemover } from '../../../connectors/secrets.ts'
import { scopedInsert, sql, type Tenancy } from '../../../db/db.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Services } from '../../../gateway/context.ts'
import type { Ingest } from '../../../gateway/ingest.ts'
import { batches } from '../../../lib/batches.ts'
import { newId } from '../../../lib/ids.ts'
import { isStorable } from '../../../lib/text.ts'
import { isStorableTime } from '../../../lib/time.ts'
import { withTimeout } from '../../../lib/timeout.ts'
import { connectionOfEvents } from '../../integrations/index.ts'
import { type ReceivedEvent, receiveEvents } from '../receive.ts'

/** The kinds of entities that have callbacks. */
const ENTITY_TYPES = new Set<string>(['TICKET', 'TIME_ENTRY', 'COMPANY', 'CONTACT'])

const ACTIONS = { ADDED: 'CREATED', UPDATED: 'UPDATED', DELETED: 'DELETED' } as const

/** The event in our words; none for what callbacks do not tell of. */
const received = (
  { kind, id, action, event_id, changed_at = null }: WebhookEvent,
  connection_id: string,
): ReceivedEvent[] =>
  ENTITY_TYPES.has(kind)
    ? [
        {
          event_id,
          source: 'WEBHOOK',
          entity_type: kind as ReceivedEvent['entity_type'],
          entity_id: id,
          action: ACTIONS[action],
          psa_changed_at: changed_at,
          connection_id,
        },
      ]
    : []

const KEEP_PAYLOADS = scopedInsert(
  'callbacks.keep_payloads',
  `insert into callback_payload (tenant_id, environment, id, connection_id, callback_ids, received_at, payload)
   select $1, $2, g.id, g.connection_id, g.callback_ids, $4::timestamptz, g.payload
   from jsonb_to_recordset($3::jsonb) as g (id text, connection_id text, callback_ids text[], payload text)`,
)

/** A request whose sender was verified. */
interface Delivery extends Tenancy {
  connection_id: string
  events: readonly ReceivedEvent[]
  raw: Buffer
}

/** The payload as it is stored, with the callbacks that it made; none if it made none. */
function kept({ secret_box }: Services, delivery: Delivery, made: ReadonlyMap<ReceivedEvent, string>) {
  const { tenant_id, environment, connection_id, events, raw } = delivery
  const callback_ids = events.flatMap((event) => made.get(event) ?? [])
  if (callback_ids.length === 0) return []
  const id = newId('pay')
  const place = [tenant_id, environment, id, 'callback_payload']
  return [{ id, connection_id, callback_ids, payload: secret_box.encrypt(raw.toString('latin1'), place) }]
}

/** The requests that one transaction stores at most. */
const MOST = 50

/** Stores requests: those of a tenant that come while a transaction of it is open share the next one. */
const storing = (services: Services) =>
  batches<Delivery>(MOST, async (_tenancy, deliveries) => {
    const [first] = deliveries
    if (!first) return
    const { tenant_id, environment } = first
    const events = deliveries.flatMap((delivery) => delivery.events)
    await receiveEvents(services, { tenant_id, environment }, events, async (ctx, made) => {
      const payloads = deliveries.flatMap((delivery) => kept(services, delivery, made))
      await sql(ctx, KEEP_PAYLOADS, [JSON.stringify(payloads), ctx.now])
    })
  })

const stores = new WeakMap<Services, ReturnType<typeof storing>>()

function storeOf(services: Services): ReturnType<typeof storing> {
  const store = stores.get(services) ?? storing(services)
  stores.set(services, store)
  return store
}

type Webhooks = NonNullable<AnyAdapter['webhooks']>

/** A system that needs the time for its answer that others have for theirs would lose events. */
const VERIFY_MS = 2500

/** The events of the bytes; 503 if the system cannot be asked for what its signature is verified with. */
async function verified(
  webhooks: Webhooks,
  { system }: Pick<AnyAdapter, 'system'>,
  connection: OpenedConnection,
  headers: Parameters<Webhooks['verify']>[1],
  raw: Buffer,
): Promise<readonly WebhookEvent[] | null> {
  const late = () => new PortUnavailable('The signature of an event could not be verified in time')
  try {
    return await withTimeout(VERIFY_MS, webhooks.verify(connection, headers, raw), late)
  } catch (error) {
    removeFromError(error, secretRemover(system, connection))
    if (!(error instanceof PortUnavailable)) throw error
    throw new ApiError('upstream_unavailable', { details: { upstream: 'PSA' }, cause: error })
  }
}

/** The refusal of events that no column stores: times in the years 1 to 9999, and texts that PostgreSQL can store. */
function requireStorable(events: readonly WebhookEvent[]): void {
  for (const { id, event_id, changed_at } of events) {
    if (changed_at && !isStorableTime(changed_at))
      throw new ApiError('bad_request', { message: 'The time of an event is not in the years 1 to 9999.' })
    if (!isStorable(id) || !isStorable(event_id ?? ''))
      throw new ApiError('bad_request', {
        message: 'The id of an event has characters that cannot be stored.',
      })
  }
}

/** The requests of PSAs. What cannot be stored rejects, so that the PSA sends it again. */
export const INGEST: Ingest = {
  name: 'ingest_psa',
  path: /^\/ingest\/psa\/(con_[0-9A-Za-z]{22})$/,
  async find(services: Services, connection_id, secret) {
    const found = await connectionOfEvents(services, connection_id, secret)
    const adapter = found && services.connectors.adapterOf(found.system)
    if (!found || !adapter?.webhooks) return null
    const { webhooks } = adapter
    const { tenant_id, environment } = found
    return {
      connection_id,
      async read(headers, raw) {
        const events = await verified(webhooks, adapter, found.opened, headers, raw)
        if (!events) {
          services.log.warn(
            { connection_id },
            'an event came with the right secret and without its signature',
          )
          return null
        }
        requireStorable(events)
        const told = events.flatMap((event) => received(event, connection_id))
        const delivery = { tenant_id, environment, connection_id, events: told, raw }
        return {
          events: events.length,
          async store() {
            if (delivery.events.length > 0)
              await storeOf(services)(JSON.stringify([tenant_id, environment]), delivery)
          },
        }
      },
    }
  },
}
