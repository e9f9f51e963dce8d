/** Due entries: a loop queues a job for each, and the worker that claims one has it until its lease is over. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { raisedFrom } from '../../db/live/raise.ts'
import { type Sql, statement } from '../../db/sql.ts'
import type { Row } from '../../schema/models.ts'
import { isSuspendedTenant } from '../tenant/index.ts'
import { ENTRY_DATA } from './events.ts'
import { ATTEMPTS } from './rules.ts'

type Entry = Row<'ScheduledWork'>

/** An entry that a worker has claimed. `attempt` tells this claim from every other one of the entry. */
export type ClaimedEntry = Pick<
  Entry,
  'id' | 'attempt' | 'workflow_id' | 'ticket_id' | 'additional_custom_instructions' | 'asked_by_user_ids'
>

/** The environment whose entries a process works on, and the tenant, if it works for one alone. */
interface Whose {
  environment: string
  tenant_id: string | null
}

type Tenancy = Pick<Entry, 'tenant_id' | 'environment'>

/** An entry as it is when its job is queued: a job of an earlier attempt starts nothing. */
export type QueuedEntry = Pick<Entry, 'id' | 'attempt' | 'scheduled_for'>

/** The time for a start, and so the delay of an entry whose worker was killed: with the pause of the loop half a minute. */
const LEASE_SECONDS = 25
const RELEASED_AT_ONCE = 100

const RELEASE = statement(
  'scheduled_work.release',
  `with lost as (
     select tenant_id, environment, id from scheduled_work
     where status = 'PROCESSING' and held_until <= $1::timestamptz and environment = $2
       and ($3::text is null or tenant_id = $3)
     order by held_until limit ${RELEASED_AT_ONCE} for update skip locked
   ), released as (
   update scheduled_work w set held_until = null, updated_at = $1::timestamptz,
     status = (case when w.attempt < ${ATTEMPTS} then 'PENDING' else 'FAILED' end)::scheduled_work_status,
     execution_message = 'The worker that started the agent was lost.'
   from lost where (w.tenant_id, w.environment, w.id) = (lost.tenant_id, lost.environment, lost.id)
   returning w.*
   )
   ${raisedFrom({
     type: "'scheduled_work.failed'",
     entity_id: 'w.id',
     agent_id: 'w.workflow_id',
     data: ENTRY_DATA,
     from: "from released w where w.status = 'FAILED'",
     tenancy: ['w.tenant_id', 'w.environment'],
   })}`,
)

/** Entries whose lease is over are PENDING again, or have failed after the last attempt. */
export async function releaseLost(database: Sql, now: Date, whose: Whose): Promise<void> {
  await database.rows(RELEASE, [now, whose.environment, whose.tenant_id])
}

const QUEUED_AT_ONCE = 500
/** A job that was lost, which its queue prevents, is made up for after this time. */
const QUEUED_MINUTES = 60

// Contract silent: what is due while the tenant is suspended waits until the tenant is not, and then starts.
const dueNow = (held: string, order: string): string => `(
  select d.tenant_id, d.environment, d.id from scheduled_work d
  where d.status = 'PENDING' and d.scheduled_for <= $1::timestamptz and d.held_until ${held} and d.environment = $2
    and ($3::text is null or d.tenant_id = $3)
    and not ${isSuspendedTenant('d.tenant_id')}
  order by ${order} limit ${QUEUED_AT_ONCE}
)`

const DUE = statement(
  'scheduled_work.due',
  `select tenant_id, environment, array_agg(id) as ids
   from (${dueNow('is null', 'd.scheduled_for, d.id')} union all ${dueNow('<= $1::timestamptz', 'd.held_until')}) as due
   group by tenant_id, environment`,
)

/** Entries that are due and not in the queue, of each tenant those that have been due for longest. */
export const findDue = (database: Sql, now: Date, whose: Whose): Promise<(Tenancy & { ids: number[] })[]> =>
  database.rows(DUE, [now, whose.environment, whose.tenant_id])

// Rows that other processes are working on are skipped, so that no process waits.
const QUEUE = scoped(
  'scheduled_work.queue',
  `with due as (
     select d.id from scheduled_work d
     where d.tenant_id = $1 and d.environment = $2 and d.id = any($3::int[]) and d.status = 'PENDING'
       and d.scheduled_for <= $4::timestamptz and (d.held_until is null or d.held_until <= $4::timestamptz)
     for update skip locked
   )
   update scheduled_work w set held_until = $4::timestamptz + interval '${QUEUED_MINUTES} minutes'
   from due where w.tenant_id = $1 and w.environment = $2 and w.id = due.id
   returning w.id, w.attempt, w.scheduled_for`,
)

/** Holds the entries for their jobs, and returns those that no other process has. */
export const holdForQueue = (
  ctx: DatabaseContext & { now: Date },
  ids: readonly number[],
): Promise<QueuedEntry[]> => sql(ctx, QUEUE, [ids, ctx.now])

const CLAIM = scoped(
  'scheduled_work.claim',
  `update scheduled_work w set status = 'PROCESSING', attempt = w.attempt + 1, updated_at = $5::timestamptz,
     held_until = $5::timestamptz + interval '${LEASE_SECONDS} seconds'
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3 and w.attempt = $4 and w.status = 'PENDING'
     and w.scheduled_for <= $5::timestamptz
     and not ${isSuspendedTenant('$1')}
   returning w.id, w.attempt, w.workflow_id, w.ticket_id, w.additional_custom_instructions, w.asked_by_user_ids`,
)

const PUT_BACK = scoped(
  'scheduled_work.put_back',
  `update scheduled_work w set held_until = null
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3 and w.attempt = $4 and w.status = 'PENDING'`,
)

/**
 * Claims the entry; null if it was cancelled, put off or claimed meanwhile, or the tenant was suspended. One that still
 * waits is queued again when it is due.
 */
export async function claim(
  ctx: DatabaseContext & { now: Date },
  { id, attempt }: Pick<Entry, 'id' | 'attempt'>,
): Promise<ClaimedEntry | null> {
  const [entry] = await sql<ClaimedEntry>(ctx, CLAIM, [id, attempt, ctx.now])
  if (!entry) await sql(ctx, PUT_BACK, [id, attempt])
  return entry ?? null
}

const HOLD = scoped(
  'scheduled_work.hold',
  `select w.id from scheduled_work w
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3 and w.status = 'PROCESSING' and w.attempt = $4
   for update`,
)

/** True while the claim is still this one, which then no other process takes over until the transaction ends. */
export async function holdsClaim(ctx: DatabaseContext, { id, attempt }: ClaimedEntry): Promise<boolean> {
  return (await sql(ctx, HOLD, [id, attempt])).length > 0
}

const SETTLE = scoped(
  'scheduled_work.settle',
  `with settled as (
     update scheduled_work w set status = $5::text::scheduled_work_status, held_until = $6, executed_at = $7,
       execution_id = $8, execution_temporal_run_id = $9, execution_message = $10, updated_at = $11
     where w.tenant_id = $1 and w.environment = $2 and w.id = $3 and w.status = 'PROCESSING' and w.attempt = $4
     returning w.*
   )
   ${raisedFrom({
     type: "'scheduled_work.' || lower(w.status::text)",
     entity_id: 'w.id',
     agent_id: 'w.workflow_id',
     data: ENTRY_DATA,
     from: "from settled w where w.status in ('COMPLETED', 'FAILED')",
   })}`,
)

export type Settlement = Pick<Entry, 'execution_message'> &
  (
    | { status: 'COMPLETED'; execution_id: string; execution_temporal_run_id: string | null }
    | { status: 'FAILED' }
    | { status: 'PENDING'; held_until: Date }
  )

/** Ends the claim, unless it was lost. */
export async function settle(
  ctx: DatabaseContext & { now: Date },
  { id, attempt }: ClaimedEntry,
  settlement: Settlement,
): Promise<void> {
  const { status, execution_message } = settlement
  const accepted = status === 'COMPLETED' ? settlement : null
  await sql(ctx, SETTLE, [
    id,
    attempt,
    status,
    status === 'PENDING' ? settlement.held_until : null,
    accepted && ctx.now,
    accepted?.execution_id ?? null,
    accepted?.execution_temporal_run_id ?? null,
    execution_message,
    ctx.now,
  ])
}
