/** The jobs that send: one for each endpoint with something due, so that its deliveries are under way in one process. */
import { type DatabaseContext, scoped, sql, type Tenancy } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { enqueueAll } from '../../jobs/enqueue.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { SEND, SEND_SLOWLY } from './declared.ts'
import { disableOrphans, IS_ORPHAN } from './disable.ts'
import { fanOut } from './fan-out.ts'
import { CURSOR } from './queries.ts'

/** SQL: the endpoint `w` has something to send at the instant, and no job. */
const isDue = (instant: string): string => `w.status = 'ENABLED'
  and (w.job_until is null or w.job_until < ${instant}) and (w.resumes_at is null or w.resumes_at <= ${instant})
  and exists (select from webhook_delivery d where d.tenant_id = w.tenant_id and d.environment = w.environment
    and d.endpoint_id = w.id and d.status = 'PENDING' and d.next_attempt_at <= ${instant})`

/** Milliseconds for which a job has its endpoint. A job that goes on says so with each batch. */
export const JOB_MS = 60_000

const TAKE_DUE = scoped(
  'webhooks.take_due',
  `update webhook_endpoint w set job_id = null, job_until = $4::timestamptz
   where w.tenant_id = $1 and w.environment = $2 and ($5::text is null or w.id = $5::text) and ${isDue('$3::timestamptz')}
   returning w.id, w.is_slow`,
)

/** Enqueues a job for each endpoint with something due that has none, or for the one endpoint. */
export async function enqueueDue(ctx: ServiceContext, endpoint_id: string | null = null): Promise<void> {
  const now = ctx.services.now()
  const until = new Date(now.getTime() + JOB_MS)
  const due = await sql<{ id: string; is_slow: boolean }>(ctx, TAKE_DUE, [now, until, endpoint_id])
  for (const job of [SEND, SEND_SLOWLY]) {
    const payloads = due.flatMap(({ id, is_slow }) =>
      is_slow === (job === SEND_SLOWLY) ? [{ payload: { endpoint_id: id } }] : [],
    )
    await enqueueAll(ctx, job, payloads)
  }
}

const WORK = statement(
  'webhooks.tenants_with_work',
  `select c.tenant_id from webhook_cursor c where c.environment = $1 and (
     ${CURSOR.isBehind('$1')}
     or exists (select from webhook_endpoint w where w.tenant_id = c.tenant_id and w.environment = $1
       and ((${IS_ORPHAN}) or (${isDue('$2::timestamptz')}))))`,
)

const TRANSACTION_MS = 30_000

/** Makes the deliveries of the tenant's new events, and enqueues what is due. */
export async function queueTenant(services: Services, tenancy: Tenancy, signal?: AbortSignal): Promise<void> {
  const ctx = serviceContext(services, 'webhooks.queue', 'webhooks.queue', tenancy)
  for (let goes_on = true; goes_on && !signal?.aborted; )
    goes_on = await inTransaction(ctx, TRANSACTION_MS, async () => {
      await disableOrphans(ctx)
      const made = await fanOut(ctx)
      await enqueueDue(ctx)
      return made
    })
}

/** Makes the deliveries of new events, and enqueues what is due, of all tenants. */
export async function queueDeliveries({ services, now, signal, log }: LoopContext): Promise<void> {
  const { database, environment } = services
  const tenants = await database.sql.rows<{ tenant_id: string }>(WORK, [environment, now])
  // A failure for one tenant keeps no deliveries from the others.
  for (const { tenant_id } of tenants)
    await queueTenant(services, { tenant_id, environment }, signal).catch((error) =>
      log.warn({ err: error, tenant_id }, 'deliveries of webhooks were not made'),
    )
}

const RELEASE = scoped(
  'webhooks.release',
  `update webhook_endpoint w set job_id = null, job_until = null
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3::text and w.job_id = $4::text`,
)

/** Leaves the endpoint to another job. */
export const release = (ctx: DatabaseContext, endpoint_id: string, job_id: string): Promise<unknown> =>
  sql(ctx, RELEASE, [endpoint_id, job_id])
