/**
 * The turns of callbacks: at most so many of a tenant are processed at once, over all processes, at the pace at which its PSA may
 * be asked, and one after another of an entity.
 */
import { LEFT_SECONDS } from '../../../connectors/budget.ts'
import type { TicketSource } from '../../../connectors/connectors.ts'
import { type DatabaseContext, scoped, scopedInsert, sql, tenancyOf } from '../../../db/db.ts'
import { lockTenant } from '../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { Row } from '../../../schema/models.ts'
import { PRESENT_PSA } from '../../integrations/index.ts'
import {
  AT_ONCE,
  admitted,
  afterAdmission,
  afterFailure,
  enough,
  type Gate,
  shortUntil,
  waited,
} from '../rules/admission.ts'
import { type Group, PROCESS_GROUP } from './job.ts'

/** The context of a job, or of a sweep. */
export type ProcessContext = MutationContext & {
  services: Pick<Services, 'environment' | 'jobs' | 'connectors' | 'vendor_budget' | 'database'>
}

/** A transaction that takes or gives a slot holds this lock. It is the last lock that a transaction takes. */
export const lockSlots = (ctx: DatabaseContext): Promise<void> =>
  lockTenant(ctx, `callbacks.slots ${tenancyOf(ctx).environment}`)

export interface ClaimedCallback extends StoredCallback {
  /** False: the PSA that it came from is not connected any more. */
  is_of_present: boolean
}

type StoredCallback = Pick<
  Row<'Callback'>,
  | 'id'
  | 'status'
  | 'entity_type'
  | 'entity_id'
  | 'action'
  | 'source'
  | 'change_types'
  | 'own_changes'
  | 'received_at'
  | 'psa_changed_at'
  | 'attempts'
  | 'away_since'
  | 'is_again'
  | 'psa_key'
  | 'looks'
>

const OTHERS_OF_ENTITY = `w.tenant_id = $1 and w.environment = $2 and w.entity_id = c.entity_id
  and w.entity_type = c.entity_type and w.psa_key = c.psa_key and w.id <> c.id`

// Events of companies and contacts have no versions, and are processed whenever they come.
const ENTER = scoped(
  'callbacks.enter',
  `update callback c set status = 'QUEUED', waits_since = coalesce(c.waits_since, $4::timestamptz),
     waits_for = coalesce(c.waits_for, case when c.entity_type in ('TICKET', 'TIME_ENTRY') and exists (
       select from callback w where ${OTHERS_OF_ENTITY}
         and (w.status = 'PROCESSING' or (w.waits_since is not null and w.waits_for is distinct from 'ENTITY'))
     ) then 'ENTITY' else 'QUEUE' end::callback_turn)
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text and c.status in ('RECEIVED', 'QUEUED')`,
)

const HELD = scoped(
  'callbacks.held',
  `select c.id, c.status, c.entity_type, c.entity_id, c.action, c.source, c.change_types, c.own_changes,
     c.received_at, c.psa_changed_at, c.attempts, c.away_since, c.is_again, c.psa_key, c.looks,
     c.psa_key = ${PRESENT_PSA} as is_of_present
   from callback c
   where c.tenant_id = $1 and c.environment = $2 and c.id = any($3::text[]) and c.status = 'PROCESSING'
   order by c.received_at, c.id`,
)

const TAKE_UNTURNED = scoped(
  'callbacks.take_unturned',
  `update callback c set status = 'PROCESSING'
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text and c.status in ('RECEIVED', 'QUEUED')
     and c.waits_since is null`,
)

/** Takes a callback that does not wait for its turn, to end it. */
export async function takeUnturned(ctx: DatabaseContext, callback_id: string): Promise<void> {
  await lockSlots(ctx)
  await sql(ctx, TAKE_UNTURNED, [callback_id])
}

/** The callbacks of these ids that were admitted and have not ended. */
export const heldCallbacks = (ctx: DatabaseContext, ids: readonly string[]): Promise<ClaimedCallback[]> =>
  sql<ClaimedCallback>(ctx, HELD, [ids])

const QUEUE = scoped(
  'callbacks.queue',
  `select (
       select count(*)::int from callback w
       where w.tenant_id = $1 and w.environment = $2 and w.status = 'PROCESSING'
     ) as busy, (
       select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'since', w.waits_since, 'for', w.waits_for)
         order by w.waits_since, w.id), '[]')
       from (
         select n.id, n.waits_since, n.waits_for from callback n
         where n.tenant_id = $1 and n.environment = $2 and n.waits_since is not null
           and n.waits_for is distinct from 'ENTITY' and n.status = 'QUEUED'
         order by n.waits_since, n.id limit ${AT_ONCE + 1}
       ) w
     ) as waiting, g.opens_at, g.short_since, g.away_since, g.failures
   from (select 1) one left join callback_gate g on g.tenant_id = $1 and g.environment = $2`,
)

interface QueueRow {
  busy: number
  waiting: { id: string; since: string; for: Row<'Callback'>['waits_for'] }[]
  opens_at: Gate['opens_at'] | null
  short_since: Gate['short_since']
  away_since: Gate['away_since']
  failures: number | null
}

const SET_GATE = scopedInsert(
  'callbacks.set_gate',
  `insert into callback_gate (tenant_id, environment, opens_at, short_since, away_since, failures)
   select $1, $2, $3::timestamptz, $4::timestamptz, $5::timestamptz, $6::int
   on conflict (tenant_id, environment) do update set opens_at = excluded.opens_at, short_since = excluded.short_since,
     away_since = excluded.away_since, failures = excluded.failures`,
)

const OPEN_GATE = scoped(
  'callbacks.open_gate',
  'delete from callback_gate g where g.tenant_id = $1 and g.environment = $2',
)

const GATE = scoped(
  'callbacks.gate',
  `select g.opens_at, g.short_since, g.away_since, g.failures from callback_gate g
   where g.tenant_id = $1 and g.environment = $2`,
)

async function setGate(ctx: DatabaseContext, gate: Gate | null): Promise<void> {
  if (!gate) await sql(ctx, OPEN_GATE, [])
  else await sql(ctx, SET_GATE, [gate.opens_at, gate.short_since, gate.away_since, gate.failures])
}

const ADMIT = scoped(
  'callbacks.admit',
  `update callback c set status = 'PROCESSING', waits_since = null, waits_for = null,
     wait_seconds = c.wait_seconds + a.for_slot, psa_wait_seconds = c.psa_wait_seconds + a.for_psa
   from jsonb_to_recordset($3::jsonb) as a (id text, for_slot float8, for_psa float8)
   where c.tenant_id = $1 and c.environment = $2 and c.id = a.id and c.status = 'QUEUED'`,
)

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + Math.ceil(seconds * 1000))

/** Takes the requests for so many callbacks of the budget. */
async function reserve(
  { services, transaction, viewer }: ProcessContext,
  source: TicketSource | null,
  count: number,
): Promise<Pick<Group, 'prepaid'> & { wait_seconds: number }> {
  if (!source) return { prepaid: null, wait_seconds: 0 }
  if (!transaction || !viewer) throw new Error('Callbacks are admitted in no transaction of a tenant')
  const { system, requests_for_tickets } = source
  const owner = { system, tenant_id: viewer.tenant_id }
  const requests = requests_for_tickets(count)
  const asked = services.vendor_budget.reserve(transaction, owner, requests, LEFT_SECONDS.CALLBACK)
  const { taken, wait_seconds } = await asked
  return { prepaid: taken > 0 ? { system, requests: taken } : null, wait_seconds }
}

interface Admission {
  /** True: the PSA has just answered. */
  answered?: boolean
}

/**
 * Admits the callbacks that have waited longest, as many as there are slots and requests for, and answers with their group; null if
 * none is admitted. It is called in a transaction, whenever a callback has come or left.
 */
async function admitGroup(ctx: ProcessContext, { answered = false }: Admission): Promise<Group | null> {
  await lockSlots(ctx)
  const [row] = await sql<QueueRow>(ctx, QUEUE, [])
  if (!row) throw new Error('The queue of callbacks was not read')
  const { busy, waiting, opens_at, short_since, away_since } = row
  const known: Gate | null = opens_at && { opens_at, short_since, away_since, failures: row.failures ?? 0 }
  const is_back = answered && known !== null && known.failures > 0
  const gate = is_back ? short_since && { ...known, away_since: null, failures: 0, opens_at: ctx.now } : known
  const source = waiting.length > 0 ? await ctx.services.connectors.ticketSource(ctx) : null
  const is_grouped = source !== null
  const count = admitted({ now: ctx.now, busy, waiting: waiting.length, gate, is_grouped })
  const keep = async (next: Gate | null): Promise<null> => {
    if (next !== known) await setGate(ctx, next)
    return null
  }
  if (waiting.length === 0) return await keep(gate?.away_since || gate?.failures ? gate : null)
  // With its gate open nothing but slots keeps a callback waiting.
  if (count === 0) return await keep(gate && gate.opens_at <= ctx.now ? enough(gate) : gate)
  const { prepaid, wait_seconds } = await reserve(ctx, source, count)
  if (source && !prepaid) return await keep(shortUntil(gate, after(ctx.now, wait_seconds), ctx.now))
  const group = waiting.slice(0, count)
  const waits = group.map(({ id, since, for: waits_for }) =>
    waits_for === 'OUTAGE'
      ? { id, for_slot: 0, for_psa: 0 }
      : { id, ...waited(new Date(since), gate, ctx.now) },
  )
  await sql(ctx, ADMIT, [JSON.stringify(waits)])
  await keep(afterAdmission(gate, { is_last: group.length === waiting.length }, ctx.now))
  return { callback_ids: group.map(({ id }) => id), prepaid }
}

/** Admits callbacks, and enqueues their processing. */
export async function admit(ctx: ProcessContext, admission: Admission = {}): Promise<void> {
  for (let next = admission; ; next = {}) {
    const group = await admitGroup(ctx, next)
    if (!group) return
    await enqueue(ctx, PROCESS_GROUP, group)
  }
}

/**
 * The callback is due: it waits for its turn. The group to process at once if it is admitted alone, or was admitted before; null if
 * it waits, has ended, or is processed with others.
 */
export async function enter(ctx: ProcessContext, callback_id: string): Promise<Group | null> {
  await lockSlots(ctx)
  await sql(ctx, ENTER, [callback_id, ctx.now])
  const own = { callback_ids: [callback_id], prepaid: null }
  const [held] = await heldCallbacks(ctx, [callback_id])
  if (held) return own
  const group = await admitGroup(ctx, {})
  if (!group) return null
  if (group.callback_ids.length > 1 || group.callback_ids[0] !== callback_id) {
    await enqueue(ctx, PROCESS_GROUP, group)
    await admit(ctx)
    return null
  }
  return group
}

/** Takes note that the PSA takes no requests before some seconds have passed: no callback is admitted meanwhile. */
export async function noteLimit(ctx: ProcessContext, seconds: number): Promise<void> {
  await lockSlots(ctx)
  const [gate] = await sql<Gate>(ctx, GATE, [])
  await setGate(ctx, shortUntil(gate ?? null, after(ctx.now, Math.max(1, seconds)), ctx.now))
}

/** Takes note that the PSA did not answer an attempt. True: the PSA is away, and is tried by one callback after another. */
export async function noteFailure(ctx: ProcessContext): Promise<boolean> {
  await lockSlots(ctx)
  const [gate] = await sql<Gate>(ctx, GATE, [])
  const next = afterFailure(gate ?? null, ctx.now)
  await setGate(ctx, next)
  return next.away_since !== null
}
