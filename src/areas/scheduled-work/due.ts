/** Due entries: one process claims each, and has it until its lease is over. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { type Sql, statement } from '../../db/sql.ts'
import type { Row } from '../../schema/models.ts'
import { ATTEMPTS } from './rules.ts'

type Entry = Row<'ScheduledWork'>

/** An entry that a worker has claimed. `attempt` tells this claim from every other one of the entry. */
export type ClaimedEntry = Pick<
  Entry,
  | ('tenant_id' | 'environment' | 'id' | 'attempt' | 'workflow_id')
  | ('ticket_id' | 'ticket_number' | 'additional_custom_instructions' | 'created_by')
>

/** The environment whose entries a process works on, and one tenant where it is of no other. */
interface Whose {
  environment: string
  tenant_id: string | null
}

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
   )
   update scheduled_work w set held_until = null, updated_at = $1::timestamptz,
     status = (case when w.attempt < ${ATTEMPTS} then 'PENDING' else 'FAILED' end)::scheduled_work_status,
     execution_message = 'The worker that started the agent was lost.'
   from lost where (w.tenant_id, w.environment, w.id) = (lost.tenant_id, lost.environment, lost.id)`,
)

/** Entries whose lease is over are PENDING again, or have failed after the last attempt. */
export async function releaseLost(database: Sql, now: Date, whose: Whose): Promise<void> {
  await database.rows(RELEASE, [now, whose.environment, whose.tenant_id])
}

// Contract silent: what is due while the tenant is suspended waits until the tenant is not, and then starts.
// Rows that other processes are claiming are skipped, so that nobody waits.
const CLAIM = statement(
  'scheduled_work.claim',
  `with due as (
     select d.tenant_id, d.environment, d.id from scheduled_work d
     where d.status = 'PENDING' and d.scheduled_for <= $1::timestamptz
       and (d.held_until is null or d.held_until <= $1::timestamptz) and d.environment = $2
       and ($3::text is null or d.tenant_id = $3)
       and not exists (select from tenant t where t.id = d.tenant_id and t.suspended_at is not null)
     order by d.scheduled_for, d.id limit 1 for update skip locked
   )
   update scheduled_work w set status = 'PROCESSING', attempt = w.attempt + 1, updated_at = $1::timestamptz,
     held_until = $1::timestamptz + interval '${LEASE_SECONDS} seconds'
   from due where (w.tenant_id, w.environment, w.id) = (due.tenant_id, due.environment, due.id)
   returning w.tenant_id, w.environment, w.id, w.attempt, w.workflow_id, w.ticket_id, w.ticket_number,
     w.additional_custom_instructions, w.created_by`,
)

/** Claims the entry that has been due for longest; null where none is due. */
export async function claimDue(database: Sql, now: Date, whose: Whose): Promise<ClaimedEntry | null> {
  const [entry] = await database.rows<ClaimedEntry>(CLAIM, [now, whose.environment, whose.tenant_id])
  return entry ?? null
}

const HOLD = scoped(
  'scheduled_work.hold',
  `select w.id from scheduled_work w
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3 and w.status = 'PROCESSING' and w.attempt = $4
   for update`,
)

/** True while the claim is still this one, which then nobody takes over until the transaction ends. */
export async function holdsClaim(ctx: DatabaseContext, { id, attempt }: ClaimedEntry): Promise<boolean> {
  return (await sql(ctx, HOLD, [id, attempt])).length > 0
}

const SETTLE = scoped(
  'scheduled_work.settle',
  `update scheduled_work w set status = $5::text::scheduled_work_status, held_until = $6, executed_at = $7,
     execution_id = $8, execution_temporal_run_id = $9, execution_message = $10, updated_at = $11
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3 and w.status = 'PROCESSING' and w.attempt = $4`,
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
    ...[id, attempt, status, status === 'PENDING' ? settlement.held_until : null, accepted && ctx.now],
    ...[accepted?.execution_id ?? null, accepted?.execution_temporal_run_id ?? null],
    ...[execution_message, ctx.now],
  ])
}
