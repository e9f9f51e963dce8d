/** Finds callbacks whose job was lost, and enqueues them again. */
import { scoped, sql, type Tenancy } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { JobContext } from '../../../jobs/job.ts'
import { serviceContext } from '../../../jobs/service-context.ts'
import { PROCESS_CALLBACK } from './job.ts'
import { grantSlots } from './slots.ts'

/** A callback that was received later than this may have a job that is not stored yet. */
const SETTLED_MS = 60_000

const WITH_JOB = `
  select coalesce(j.data -> 'payload' ->> 'callback_id', '') from pgboss.job j
  where j.name = '${PROCESS_CALLBACK.name}' and j.state < 'completed'`

const IN_FLIGHT = `c.has_job and c.status in ('RECEIVED', 'QUEUED', 'PROCESSING') and c.waits_since is null`

const LOST = statement(
  'callbacks.lost',
  `select c.tenant_id, c.environment, c.id from callback c
   where c.environment = $2 and c.received_at < $1 and ${IN_FLIGHT} and c.id not in (${WITH_JOB})
   order by c.received_at limit 500`,
)

const WITHOUT_JOB = scoped(
  'callbacks.without_job',
  `select c.id from callback c
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text and ${IN_FLIGHT} and c.id not in (${WITH_JOB})
   for update of c`,
)

const WAITING = statement(
  'callbacks.tenants_waiting',
  'select distinct c.tenant_id, c.environment from callback c where c.waits_since is not null and c.environment = $1',
)

const SWEEP_MS = 15_000

/** Enqueues the callbacks whose job was lost, and hands out slots that no callback handed over. */
export async function enqueueLost({ services, now, request, log }: JobContext): Promise<void> {
  const settled = new Date(now.getTime() - SETTLED_MS)
  const { rows } = services.database.sql
  const ofTenant = (tenancy: Tenancy) => serviceContext(services, 'callbacks.sweep', request.id, tenancy)
  for (const { id, ...tenancy } of await rows<Tenancy & { id: string }>(LOST, [
    settled,
    services.environment,
  ])) {
    log.warn({ callback_id: id }, 'a callback without a job')
    const ctx = ofTenant(tenancy)
    await inTransaction(ctx, SWEEP_MS, async () => {
      const [lost] = await sql(ctx, WITHOUT_JOB, [id])
      if (lost) await enqueue(ctx, PROCESS_CALLBACK, { callback_id: id })
    })
  }
  for (const tenancy of await rows<Tenancy>(WAITING, [services.environment])) {
    const ctx = ofTenant(tenancy)
    await inTransaction(ctx, SWEEP_MS, () => grantSlots(ctx))
  }
}
