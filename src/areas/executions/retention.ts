/** Forgets old executions with all that hangs off them, and earlier what their tool calls were given and gave. */
import type { Database } from '../../db/database.ts'
import { scoped, sql, type Tenancy } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import { BATCH_MS, hourly, inBatches } from '../../jobs/retention.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import { daysBefore } from '../../lib/time.ts'
import { isInAuditLog } from '../audit-log/index.ts'
import { LIVE_STATUSES } from './engine/rules/transitions.ts'

const EXECUTION_DAYS = 400
/** As the audit log, which tells of the same calls. */
const CALL_DAYS = 30

/** Executions of one transaction: each has some dozens of rows that go with it. */
const BATCH = 200

// One step of an index for each tenant, whatever is not old.
const WITH_OLD = statement(
  'executions.tenants_with_old',
  `select t.id as tenant_id, $1::text as environment from tenant t cross join lateral (
     select e.created_at from execution e where e.tenant_id = t.id and e.environment = $1
     order by e.created_at limit 1
   ) oldest
   where oldest.created_at < $2::timestamptz order by t.id`,
)

// The audit log may tell of a call of an execution that went on for long: the execution goes after its entries.
const OLD = scoped(
  'executions.old',
  `select e.execution_id from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.created_at < $3::timestamptz
     and e.status not in ('${LIVE_STATUSES.join("', '")}')
     and not ${isInAuditLog('e')}
   order by e.created_at limit ${BATCH} for update skip locked`,
)

const UNLINK = scoped(
  'executions.unlink_retries',
  `update execution e set retry_of_execution_id = null
   where e.tenant_id = $1 and e.environment = $2 and e.retry_of_execution_id = any($3::text[])`,
)

const DELETE = scoped(
  'executions.delete_old',
  `delete from execution e where e.tenant_id = $1 and e.environment = $2 and e.execution_id = any($3::text[])`,
)

/** The context of the job’s work for one tenant, whose transactions are its batches. */
const inBatchOf = (
  job: UnboundJobContext,
  tenancy: Tenancy,
  work: (ctx: UnboundJobContext) => Promise<number>,
) => {
  const ctx = { ...job, ...serviceContext(job.services, job.request.id, job.request.id, tenancy) }
  return inTransaction(ctx, BATCH_MS, () => work(ctx))
}

async function deleteBatch(ctx: UnboundJobContext, before: Date): Promise<number> {
  const old = await sql<{ execution_id: string }>(ctx, OLD, [before])
  const ids = old.map(({ execution_id }) => execution_id)
  if (ids.length === 0) return 0
  await sql(ctx, UNLINK, [ids])
  await sql(ctx, DELETE, [ids])
  return ids.length
}

/** The start of the oldest kept day. */
// Contract silent: whole UTC days are deleted, so that the figures of a day are complete or gone.
function firstKeptDay(now: Date): Date {
  const day = daysBefore(now, EXECUTION_DAYS)
  day.setUTCHours(0, 0, 0, 0)
  return day
}

async function forEachTenant(
  ctx: UnboundJobContext,
  before: Date,
  batch: (ctx: UnboundJobContext) => Promise<number>,
): Promise<void> {
  const { database, environment }: { database: Database; environment: string } = ctx.services
  for (const tenancy of await database.sql.rows<Tenancy>(WITH_OLD, [environment, before])) {
    if (ctx.signal.aborted) return
    await inBatches(ctx, BATCH, () => inBatchOf(ctx, tenancy, batch))
  }
}

/** Deletes executions with their runs, turns, timelines, requests and calls. */
export const deleteOldExecutions = hourly('executions.delete_old', async (ctx) => {
  const before = firstKeptDay(ctx.now)
  await forEachTenant(ctx, before, (of) => deleteBatch(of, before))
})

// Later runs begin after the executions that earlier ones have done, in the order of the index.
const ENDED = scoped(
  'executions.ended_before',
  `select e.execution_id, e.finished_at from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.finished_at < $3::timestamptz
     and e.finished_at > coalesce((
       select p.reached from retention_progress p
       where p.tenant_id = $1 and p.environment = $2 and p.job = $4), '-infinity')
   order by e.finished_at fetch first ${BATCH} rows with ties`,
)

const FORGET = scoped(
  'executions.forget_calls',
  `update tool_call c set arguments = '{}', result = null
   where c.tenant_id = $1 and c.environment = $2 and c.execution_id = any($3::text[])`,
)

const REACH = insertOf('executions.forgotten_until', 'RetentionProgress', {
  columns: ['job', 'reached'],
  on_conflict: { key: ['job'], replace: ['reached'] },
})

const FORGET_CALLS = 'executions.forget_calls'

async function forgetBatch(ctx: UnboundJobContext, before: Date): Promise<number> {
  const ended = await sql<{ execution_id: string; finished_at: Date }>(ctx, ENDED, [before, FORGET_CALLS])
  const last = ended.at(-1)
  if (!last) return 0
  await sql(ctx, FORGET, [ended.map(({ execution_id }) => execution_id)])
  await insert(ctx, REACH, { job: FORGET_CALLS, reached: last.finished_at })
  return ended.length
}

/** Forgets the arguments and results of the tool calls of executions that ended before the audit log begins. */
export const forgetOldCalls = hourly(FORGET_CALLS, async (ctx) => {
  const before = daysBefore(ctx.now, CALL_DAYS)
  await forEachTenant(ctx, before, (of) => forgetBatch(of, before))
})
