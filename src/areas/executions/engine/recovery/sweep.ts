/** Finds executions whose job was lost, and enqueues them again. */
import { scoped, sql, type Tenancy } from '../../../../db/db.ts'
import { statement } from '../../../../db/sql.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import type { Services } from '../../../../gateway/context.ts'
import { enqueue } from '../../../../jobs/enqueue.ts'
import type { JobContext } from '../../../../jobs/job.ts'
import { serviceContext } from '../../../../jobs/service-context.ts'
import { lockExecution } from '../lifecycle/transition.ts'
import { RUN_EXECUTION } from '../run/job.ts'
import { type EngineContext, grantSlots, lockSlots } from '../run/slots.ts'

/** An execution that changed later than this may have a job that is not stored yet. */
const SETTLED_MS = 60_000

/** The executions with a job, read once for all that may have lost theirs. */
const WITH_JOB = `
  select coalesce(j.data -> 'payload' ->> 'execution_id', '') from pgboss.job j
  where j.name = '${RUN_EXECUTION.name}' and j.state < 'completed'`

// Executions that another engine left behind have neither a request nor a slot, and are not run.
/** Those that were accepted and never taken up, those that got a slot, those at work, and those that left a call behind. */
const LOST = statement(
  'executions.lost',
  `select e.tenant_id, e.environment, e.execution_id from execution e
   where e.environment = $2 and e.status = 'NEW' and e.request_id is not null and e.updated_at < $1
     and e.execution_id not in (${WITH_JOB})
     and not exists (
       select from execution_work w
       where w.tenant_id = e.tenant_id and w.environment = e.environment and w.execution_id = e.execution_id
         and w.slot = 'WAITING'
     )
   union all
   select e.tenant_id, e.environment, e.execution_id from execution_work w
   join execution e on e.tenant_id = w.tenant_id and e.environment = w.environment
     and e.execution_id = w.execution_id
   where w.environment = $2 and (w.slot = 'HELD' and e.status = 'RUNNING' or w.slot = 'SETTLING')
     and e.updated_at < $1 and e.execution_id not in (${WITH_JOB})`,
)

const WITHOUT_JOB = scoped(
  'executions.without_job',
  `select 1 as lost from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3 and e.execution_id not in (${WITH_JOB})
     and (e.status in ('NEW', 'RUNNING') or exists (
       select from execution_work w
       where w.tenant_id = $1 and w.environment = $2 and w.execution_id = $3 and w.slot = 'SETTLING'
     ))`,
)

const WAITING = statement(
  'executions.tenants_waiting',
  "select distinct w.tenant_id, w.environment from execution_work w where w.environment = $1 and w.slot = 'WAITING'",
)

const SWEEP_MS = 15_000

const ofTenant = ({ services, request }: JobContext, tenancy: Tenancy): EngineContext =>
  serviceContext(services, 'executions.sweep', request.id, tenancy)

async function enqueueAgain(ctx: EngineContext, execution_id: string): Promise<void> {
  await inTransaction(ctx, SWEEP_MS, async () => {
    await lockExecution(ctx, execution_id)
    const [lost] = await sql(ctx, WITHOUT_JOB, [execution_id])
    if (lost) await enqueue(ctx, RUN_EXECUTION, { execution_id })
  })
}

/** Enqueues the executions whose job was lost, and hands out slots that no run handed over. */
export async function enqueueLost(ctx: JobContext): Promise<void> {
  const { services, now }: { services: Services; now: Date } = ctx
  const settled = new Date(now.getTime() - SETTLED_MS)
  const { rows } = services.database.sql
  const lost = await rows<Tenancy & { execution_id: string }>(LOST, [settled, services.environment])
  for (const { execution_id, ...tenancy } of lost) {
    ctx.log.warn({ execution_id }, 'an execution without a job')
    await enqueueAgain(ofTenant(ctx, tenancy), execution_id)
  }
  for (const tenancy of await rows<Tenancy>(WAITING, [services.environment])) {
    const tenant = ofTenant(ctx, tenancy)
    await inTransaction(tenant, SWEEP_MS, async () => {
      await lockSlots(tenant)
      await grantSlots(tenant)
    })
  }
}
