/** Finds callbacks whose job was lost, and enqueues them again. */
import { scoped, sql, type Tenancy } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { JobContext } from '../../../jobs/job.ts'
import type { LoopContext } from '../../../jobs/loop.ts'
import { serviceContext } from '../../../jobs/service-context.ts'
import { newId } from '../../../lib/ids.ts'
import { PROCESS_CALLBACK, PROCESS_GROUP } from './job.ts'
import { admit, lockSlots } from './slots.ts'

/** A callback that was received later than this may have a job that is not stored yet. */
const SETTLED_MS = 60_000

const WITH_JOB = `
  select coalesce(j.data -> 'payload' ->> 'callback_id', '') from pgboss.job j
  where j.name = '${PROCESS_CALLBACK.name}' and j.state < 'completed'
  union all
  select jsonb_array_elements_text(j.data -> 'payload' -> 'callback_ids') from pgboss.job j
  where j.name = '${PROCESS_GROUP.name}' and j.state < 'completed'`

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
  `select distinct c.tenant_id, c.environment from callback c
   where c.environment = $1 and c.waits_since is not null and c.waits_for is distinct from 'ENTITY'
   union
   select distinct c.tenant_id, c.environment from callback c
   where c.environment = $1 and c.waits_since is not null and c.waits_for = 'ENTITY'`,
)

/** The first event of each entity whose events wait for another one that is there no more. */
const ORPHANS = scoped(
  'callbacks.orphans',
  `update callback c set waits_for = 'QUEUE', waits_since = $3::timestamptz
   where c.tenant_id = $1 and c.environment = $2 and c.id in (
     select o.id from (
       select distinct on (f.psa_key, f.entity_type, f.entity_id) f.psa_key, f.entity_type, f.entity_id, f.id
       from callback f
       where f.tenant_id = $1 and f.environment = $2 and f.waits_for = 'ENTITY' and f.waits_since is not null
         and f.status = 'QUEUED'
       order by f.psa_key, f.entity_type, f.entity_id, f.waits_since, f.id
     ) o
     where not exists (
       select from callback w
       where w.tenant_id = $1 and w.environment = $2 and w.entity_id = o.entity_id and w.entity_type = o.entity_type
         and w.psa_key = o.psa_key
         and (w.status = 'PROCESSING' or (w.waits_since is not null and w.waits_for is distinct from 'ENTITY'))
     )
   )`,
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
    const sweeping = inTransaction(ctx, SWEEP_MS, async () => {
      await lockSlots(ctx)
      await sql(ctx, ORPHANS, [ctx.now])
      await admit(ctx)
    })
    // A tenant that fails keeps no other tenant waiting.
    await sweeping.catch((err) =>
      log.error({ err, tenant_id: tenancy.tenant_id }, 'callbacks were not admitted'),
    )
  }
}

const OPEN = statement(
  'callbacks.open_gates',
  `select g.tenant_id, g.environment from callback_gate g
   where g.environment = $1 and g.opens_at <= $2::timestamptz and exists (
     select from callback c
     where c.tenant_id = g.tenant_id and c.environment = g.environment and c.waits_since is not null
       and c.waits_for is distinct from 'ENTITY'
   )`,
)

const ADMIT_MS = 2000

/** Admits the callbacks of the tenants whose gate has opened. */
export async function admitWhereOpen({ services, now, signal, log }: LoopContext): Promise<void> {
  const open = await services.database.sql.rows<Tenancy>(OPEN, [services.environment, now])
  for (const tenancy of open) {
    if (signal.aborted) return
    const ctx = serviceContext(services, 'callbacks.admit', newId('req'), tenancy)
    const admitting = inTransaction(ctx, ADMIT_MS, () => admit(ctx))
    // A tenant that fails keeps no other tenant waiting.
    await admitting.catch((err) =>
      log.error({ err, tenant_id: tenancy.tenant_id }, 'callbacks were not admitted'),
    )
  }
}
