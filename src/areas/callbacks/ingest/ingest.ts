/** Receives the events that a PSA sends to the address of its connection. */
import type { OpenedConnection, WebhookEvent } from '../../../connectors/adapter.ts'
import type { AnyAdapter } from '../../../connectors/connectors.ts'
import { PortUnavailable } from '../../../connectors/port.ts'
import { removeFromError, secretRemover } from '../../../connectors/secrets.ts'
import { scopedInsert, sql } from '../../../db/db.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Services } from '../../../gateway/context.ts'
import type { Ingest } from '../../../gateway/ingest.ts'
import type { ServiceContext } from '../../../jobs/service-context.ts'
import { INGEST_PATH } from '../../../lib/api.ts'
import { newId } from '../../../lib/ids.ts'
import { withTimeout } from '../../../lib/timeout.ts'
import { connectionOfEvents } from '../../integrations/index.ts'
import { type ReceivedEvent, receiveEvents } from '../receive.ts'

/** The kinds of entities that have callbacks. */
const ENTITY_TYPES = new Set<string>(['TICKET', 'TIME_ENTRY', 'COMPANY', 'CONTACT'])

const ACTIONS = { ADDED: 'CREATED', UPDATED: 'UPDATED', DELETED: 'DELETED' } as const

/** The event in our words; none for what callbacks do not tell of. */
const received = ({ kind, id, action, event_id, changed_at = null }: WebhookEvent): ReceivedEvent[] =>
  ENTITY_TYPES.has(kind)
    ? [
        {
          event_id,
          source: 'WEBHOOK',
          entity_type: kind as ReceivedEvent['entity_type'],
          entity_id: id,
          action: ACTIONS[action],
          psa_changed_at: changed_at,
        },
      ]
    : []

const KEEP_PAYLOAD = scopedInsert(
  'callbacks.keep_payload',
  `insert into callback_payload (tenant_id, environment, id, connection_id, callback_ids, received_at, payload)
   values ($1, $2, $3::text, $4::text, $5::text[], $6::timestamptz, $7::text)`,
)

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

/** The requests of PSAs. What cannot be stored rejects, so that the PSA sends it again. */
export const INGEST: Ingest = {
  name: 'ingest_psa',
  path: new RegExp(`^${INGEST_PATH}(con_[0-9A-Za-z]{22})$`),
  async find(services: Services, connection_id, secret) {
    const found = await connectionOfEvents(services, connection_id, secret)
    const adapter = found && services.connectors.adapterOf(found.system)
    if (!found || !adapter?.webhooks) return null
    const { webhooks } = adapter
    const { tenant_id, environment } = found
    return {
      connection_id,
      async receive(headers, raw) {
        const events = await verified(webhooks, adapter, found.open(), headers, raw)
        if (!events) {
          services.log.warn(
            { connection_id },
            'an event came with the right secret and without its signature',
          )
          return false
        }
        const keep = async (ctx: ServiceContext, callback_ids: readonly string[]): Promise<void> => {
          const id = newId('pay')
          const payload = services.secret_box.encrypt(raw.toString('latin1'), [
            tenant_id,
            environment,
            id,
            'callback_payload',
          ])
          await sql(ctx, KEEP_PAYLOAD, [id, connection_id, callback_ids, ctx.now, payload])
        }
        await receiveEvents(services, { tenant_id, environment }, events.flatMap(received), keep)
        return true
      },
    }
  },
}
