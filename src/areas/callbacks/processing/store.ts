/** The statements at the end of a callback's processing, in the transaction that starts its executions. */
import { type DatabaseContext, scoped, scopedInsert, sql } from '../../../db/db.ts'
import { raise } from '../../../db/live/raise.ts'
import type { Row } from '../../../schema/models.ts'
import { PRESENT_PSA } from '../../integrations/index.ts'
import { CALLBACK_EVENTS } from '../events.ts'
import type { Comparison } from '../rules/decisions.ts'
import { quietOf } from '../rules/version.ts'
import { nameEvent } from './entity-turns.ts'
import { entityKey, type ReadEntity } from './read-entity.ts'
import type { ClaimedCallback } from './slots.ts'

type Callback = Row<'Callback'>
type Match = Row<'CallbackMatch'>

const HOLD = scoped(
  'callbacks.hold',
  `select coalesce((
     select v.revision from callback_entity v
     where v.tenant_id = $1 and v.environment = $2 and v.psa_key = c.psa_key and v.entity = $4::text
   ), 0) as revision, c.psa_key = ${PRESENT_PSA} as is_of_present, array(
     select m.agent_id from callback_match m
     where m.tenant_id = $1 and m.environment = $2 and m.callback_id = c.id and m.execution_id is not null
   ) as started
   from callback c
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text and c.status = 'PROCESSING'
   for update of c`,
)

interface Held {
  /** The revision of the version that is known now; 0: none is. */
  revision: number
  /** False: the PSA that it came from is not connected any more. */
  is_of_present: boolean
  /** The agents that it has started already. */
  started: number[]
}

/** Locks the callback; null if it is processed no more. */
export async function hold(ctx: DatabaseContext, callback: ClaimedCallback): Promise<Held | null> {
  const [held] = await sql<Held>(ctx, HOLD, [callback.id, entityKey(callback)])
  return held ?? null
}

const KEEP = scopedInsert(
  'callbacks.keep_version',
  `insert into callback_entity (tenant_id, environment, psa_key, entity, version, is_announced, callback_id, source,
     seen_at, open_status, quiet_since)
   select $1, $2, $3::text, $4::text, $5::jsonb, $6::boolean, $7::text, $8::text::callback_source, $9::timestamptz,
     $10::text, $11::timestamptz
   on conflict (tenant_id, environment, psa_key, entity) do update set revision = callback_entity.revision + 1, version = excluded.version,
     is_announced = callback_entity.is_announced or excluded.is_announced, callback_id = excluded.callback_id,
     source = excluded.source, seen_at = excluded.seen_at, open_status = excluded.open_status,
     quiet_since = excluded.quiet_since`,
)

const FORGET = scoped(
  'callbacks.forget_version',
  `delete from callback_entity v
   where v.tenant_id = $1 and v.environment = $2 and v.psa_key = $3::text and v.entity = $4::text`,
)

/** Keeps the version that was read, for the next event. Of an entity that is gone nothing is kept. */
export async function keepVersion(
  ctx: DatabaseContext & { now: Date },
  callback: ClaimedCallback,
  { version, changes, known }: ReadEntity,
): Promise<void> {
  const key = [callback.psa_key, entityKey(callback)]
  if (!version) {
    if (known) await sql(ctx, FORGET, key)
    return
  }
  const is_announced = changes.some(({ code }) => code === 'TICKET_CREATED' || code === 'TIME_ENTRY_CREATED')
  const { id, source } = callback
  const quiet = quietOf(version)
  const values = [...key, JSON.stringify(version), is_announced, id, source, ctx.now]
  await sql(ctx, KEEP, [...values, quiet?.open_status ?? null, quiet?.quiet_since ?? null])
}

const STORE_MATCHES = scopedInsert(
  'callbacks.store_matches',
  `insert into callback_match (tenant_id, environment, callback_id, agent_id, result, reason_code,
     comparisons, refusal_code, refusal_message, execution_id, received_at)
   select $1, $2, $3::text, m.agent_id, m.result::callback_match_result, m.reason_code::callback_match_reason,
     m.comparisons, m.refusal ->> 'code', m.refusal ->> 'message', m.execution_id, $5::timestamptz
   from jsonb_to_recordset($4::jsonb) as m (agent_id int, result text, reason_code text, comparisons jsonb,
     refusal jsonb, execution_id text)
   order by m.agent_id
   on conflict (tenant_id, environment, callback_id, agent_id) do update set result = excluded.result,
     reason_code = excluded.reason_code, comparisons = excluded.comparisons, refusal_code = excluded.refusal_code,
     refusal_message = excluded.refusal_message, execution_id = excluded.execution_id
     where callback_match.execution_id is null`,
)

export interface NewMatch extends Pick<Match, 'agent_id' | 'result' | 'reason_code' | 'execution_id'> {
  comparisons: readonly Comparison[]
  /** The error by which the start was refused. */
  refusal?: { code: string; message: string }
}

export async function storeMatches(
  ctx: DatabaseContext,
  { id, received_at }: ClaimedCallback,
  matches: readonly NewMatch[],
): Promise<void> {
  if (matches.length === 0) return
  await sql(ctx, STORE_MATCHES, [id, JSON.stringify(matches), received_at])
}

const SETTLE = scoped(
  'callbacks.settle',
  `update callback c set status = $4::text::callback_status, filter_reason = $5::text::filter_reason, error = $6::text,
     change_types = $7::text[], own_changes = $8::text[], entity_number = coalesce($9::text, c.entity_number),
     psa_company_id = coalesce($10::text, c.psa_company_id), processed_at = $11::timestamptz,
     work_seconds = c.work_seconds + $12::float8, attempts = c.attempts + $16::int, waits_for = $13::text::callback_turn,
     waits_since = case when $13::text is null then null else $14::timestamptz end, away_since = $15::timestamptz,
     has_job = $4::text = 'QUEUED', looks = coalesce($17::int, c.looks)
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text and c.status = 'PROCESSING'
   returning c.id`,
)

export interface Settlement extends Pick<Callback, 'status' | 'filter_reason' | 'error'> {
  work_seconds: number
  /** The thing for which a callback that is put off waits; null: a job of its own. */
  waits_for?: Callback['waits_for']
  /** When the PSA first failed to answer. */
  away_since?: Date | null
  /** Reads so far that did not show the entity, if this was one: it is no attempt. */
  looks?: number
  change_types?: readonly string[]
  own_changes?: readonly string[]
  entity_number?: string | null
  psa_company_id?: string | null
}

/** Ends the processing of the callback, or puts it off; false if it had ended already. */
export async function settle(
  ctx: DatabaseContext & { now: Date },
  { id, ...callback }: ClaimedCallback,
  { status, filter_reason, error, work_seconds, ...found }: Settlement,
): Promise<boolean> {
  const processed_at = status === 'PROCESSED' || status === 'FAILED' ? ctx.now : null
  const settled = await sql(ctx, SETTLE, [
    id,
    status,
    filter_reason,
    error,
    found.change_types ?? callback.change_types,
    found.own_changes ?? callback.own_changes,
    found.entity_number ?? null,
    found.psa_company_id ?? null,
    processed_at,
    work_seconds,
    found.waits_for ?? null,
    ctx.now,
    found.away_since ?? null,
    found.waits_for === 'QUEUE' || found.looks !== undefined ? 0 : 1,
    found.looks ?? null,
  ])
  if (settled.length > 0 && status === 'FAILED') {
    const { entity_type, entity_id, change_types } = callback
    const reported = found.change_types ?? change_types
    const failed = { callback_id: id, entity_type, entity_id, change_types: reported, error: error ?? '' }
    await raise(ctx, [CALLBACK_EVENTS.failed(failed)])
  }
  return settled.length > 0
}

const REMOVE = scoped(
  'callbacks.remove_double',
  `delete from callback c
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text and c.status = 'PROCESSING'
   returning c.event_id`,
)

/** Joins the callback to the one of the same event that was learned of in the other way: one event is one callback. */
export async function joinTo(ctx: DatabaseContext, { id }: ClaimedCallback, first_id: string): Promise<void> {
  const [removed] = await sql<{ event_id: string | null }>(ctx, REMOVE, [id])
  if (removed?.event_id) await nameEvent(ctx, first_id, removed.event_id)
}
