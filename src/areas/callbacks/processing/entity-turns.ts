/** The events of one entity that wait for each other: what was read of it answers every event that came before. */
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import type { ClaimedCallback } from './slots.ts'

const OF_ENTITY = `c.tenant_id = $1 and c.environment = $2 and c.psa_key = $5::text and c.entity_id = $4::text
  and c.entity_type = $3::text::callback_entity_type and c.waits_for = 'ENTITY' and c.waits_since is not null
  and c.status = 'QUEUED'`

// An event that the service learned of in the other way is the same event, as far as can be told. What is told to be new or gone
// tells more than the read of another event. The second is for clocks that differ.
const ANSWER = scoped(
  'callbacks.answer_waiting',
  `with answered as materialized (
     select c.id, c.source = 'POLL' or c.source <> $6::text::callback_source as is_same from callback c
     where ${OF_ENTITY} and not c.is_again and c.received_at < $7::timestamptz - interval '1 second'
       and (c.action in ('UPDATED', 'UNKNOWN') or c.action = $10::text::callback_action)
   ), joined as (
     delete from callback d using answered a
     where d.tenant_id = $1 and d.environment = $2 and d.id = a.id and a.is_same
     returning d.event_id
   ), settled as (
     update callback f set status = 'FILTERED_OUT', filter_reason = 'DUPLICATE', waits_since = null, waits_for = null,
       entity_number = coalesce($8::text, f.entity_number), psa_company_id = coalesce($9::text, f.psa_company_id),
       attempts = f.attempts + 1, error = null, away_since = null
     from answered a
     where f.tenant_id = $1 and f.environment = $2 and f.id = a.id and not a.is_same
     returning f.id
   )
   select (select min(event_id) from joined) as event_id, exists (
     select from callback c where ${OF_ENTITY} and c.id not in (select id from answered)
   ) as has_next`,
)

const NAME = scoped(
  'callbacks.name_event',
  `update callback c set event_id = $4::text
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text and c.event_id is null`,
)

const NEXT = scoped(
  'callbacks.next_of_entity',
  `update callback c set waits_for = 'QUEUE', waits_since = $6::timestamptz
   where c.tenant_id = $1 and c.environment = $2 and c.id = (
     select c.id from callback c where ${OF_ENTITY} order by c.waits_since, c.id limit 1
   )`,
)

/** The read of the entity. */
interface Read {
  /** When the read began. */
  began_at: Date
  entity_number?: string | null
  psa_company_id?: string | null
}

/** Names the event that a callback is about, if none is named. */
export const nameEvent = (ctx: DatabaseContext, callback_id: string, event_id: string): Promise<unknown> =>
  sql(ctx, NAME, [callback_id, event_id])

/** Ends the waiting events of the entity that came before the read, and lets the next one of the others wait for its turn. */
export async function endTurnOfEntity(
  ctx: DatabaseContext & { now: Date },
  { id, entity_type, entity_id, psa_key, source, action }: ClaimedCallback,
  read: Read | null,
): Promise<void> {
  if (read) {
    const { began_at, entity_number = null, psa_company_id = null } = read
    const values = [entity_type, entity_id, psa_key, source, began_at, entity_number, psa_company_id, action]
    const [answer] = await sql<{ event_id: string | null; has_next: boolean }>(ctx, ANSWER, values)
    if (answer?.event_id) await nameEvent(ctx, id, answer.event_id)
    if (!answer?.has_next) return
  }
  await sql(ctx, NEXT, [entity_type, entity_id, psa_key, ctx.now])
}
