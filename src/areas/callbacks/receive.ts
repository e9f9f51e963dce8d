/** Receives events of the PSA: the one entry for webhooks and polls. */
import { scopedInsert, sql, type Tenancy } from '../../db/db.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { enqueueAll } from '../../jobs/enqueue.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { newId } from '../../lib/ids.ts'
import type { Row } from '../../schema/models.ts'
import { OWN_PSA, systemKeyOf } from '../integrations/index.ts'
import { PROCESS_CALLBACK } from './processing/job.ts'

type Callback = Row<'Callback'>

/**
 * An event, in our words. `event_id` is the PSA's id of it, unique in the PSA; null: it has none, as
 * what a poll finds. `action` is UNKNOWN if the entity is new or has changed, and the PSA does not say which. What has
 * changed is never a part of it: the entity is read, and compared with the last version that is known.
 */
export interface ReceivedEvent
  extends Pick<Callback, 'event_id' | 'source' | 'entity_type' | 'entity_id' | 'action' | 'psa_changed_at'> {
  /** The connection that it came by. Absent: it is one of the service's own PSA. */
  connection_id?: string
}

/** The number of events that were new, and of those that were known already. */
interface Receipt {
  received: number
  duplicates: number
}

// Contract silent: an event is queued in the transaction that receives it, so that RECEIVED is passed at once. The events of
// a suspended tenant are kept, and processed no further.
// A poll's event adds nothing while another event of the entity waits: both are answered by one read of the entity. An event
// whose entity the PSA does not show yet answers no other.
const RECEIVE = scopedInsert(
  'callbacks.receive',
  `insert into callback (tenant_id, environment, id, psa_type, entity_type, entity_id, status, filter_reason,
     received_at, psa_changed_at, sleep_seconds, event_id, source, action, psa_key, has_job)
   select $1, $2, g.id, terms.psa_type, g.entity_type::callback_entity_type, g.entity_id,
     (case when terms.suspended then 'FILTERED_OUT' else 'QUEUED' end)::callback_status,
     (case when terms.suspended then 'TENANT_PAUSED' end)::filter_reason, $4::timestamptz, g.psa_changed_at,
     case when terms.suspended then 0 else terms.sleep end, g.event_id, g.source::callback_source,
     g.action::callback_action, came.psa_key, not terms.suspended
   from jsonb_to_recordset($3::jsonb) as g (id text, event_id text, source text, entity_type text, entity_id text,
     action text, psa_changed_at timestamptz, connection_id text)
   cross join lateral (
     select coalesce(${systemKeyOf('g.connection_id')}, g.connection_id, '${OWN_PSA}') as psa_key
   ) came
   cross join (
     select coalesce(t.psa_type, 'PSA') as psa_type, t.suspended_at is not null as suspended,
       coalesce(s.sleep_before_callback_processing_seconds, 30) as sleep
     from tenant t left join settings s on s.tenant_id = $1 and s.environment = $2
     where t.id = $1
   ) terms
   where g.source <> 'POLL' or not exists (
     select from callback w
     where w.tenant_id = $1 and w.environment = $2 and w.entity_id = g.entity_id and w.status = 'QUEUED'
       and w.psa_key = came.psa_key and w.looks = 0
       and w.entity_type = g.entity_type::callback_entity_type
       and w.received_at > $4::timestamptz - interval '1 hour'
   )
   order by g.event_id, g.id
   on conflict (tenant_id, environment, psa_key, event_id) do nothing
   returning id, status, sleep_seconds`,
)

const RECEIVE_MS = 10_000

/**
 * Stores the events of one tenant and environment as callbacks, with the jobs that process them once the tenant's
 * configured sleep is over, in one transaction of two statements. An event that was received before is known by its
 * `event_id`, and leaves nothing behind: the same events can be sent again after any failure. `keep` gets the
 * callbacks of those that were new, and stores what belongs to them in the same transaction. It needs no caller, and asks no other system.
 */
export async function receiveEvents(
  services: Services,
  tenancy: Tenancy,
  events: readonly ReceivedEvent[],
  keep?: (ctx: ServiceContext, callback_ids: ReadonlyMap<ReceivedEvent, string>) => Promise<void>,
): Promise<Receipt> {
  if (events.length === 0) return { received: 0, duplicates: 0 }
  const request_id = newId('rcv')
  const ctx = serviceContext(services, 'callbacks.receive', request_id, tenancy)
  const given = events.map((event) => ({ ...event, id: newId('cb') }))
  const stored = await inTransaction(ctx, RECEIVE_MS, async () => {
    const values = [JSON.stringify(given), ctx.now]
    const rows = await sql<Pick<Callback, 'id' | 'status' | 'sleep_seconds'>>(ctx, RECEIVE, values)
    const jobs = rows
      .filter(({ status }) => status === 'QUEUED')
      .map(({ id, sleep_seconds }) => ({
        payload: { callback_id: id },
        ...(sleep_seconds > 0 && { start_after: new Date(ctx.now.getTime() + sleep_seconds * 1000) }),
      }))
    await enqueueAll(ctx, PROCESS_CALLBACK, jobs)
    if (keep && rows.length > 0) {
      const fresh = new Set(rows.map(({ id }) => id))
      const made = events.map((event, at) => [event, given[at]?.id ?? ''] as const)
      await keep(ctx, new Map(made.filter(([, id]) => fresh.has(id))))
    }
    return rows.length
  })
  return { received: stored, duplicates: events.length - stored }
}
