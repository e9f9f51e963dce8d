/** The syncs that the service begins by itself. */
import type { Tenancy } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction, lockTenant } from '../../db/transaction.ts'
import type { JobContext } from '../../jobs/job.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import { CALLED_SYSTEMS, REGISTRY, requireIntegration } from '../integrations/index.ts'
import { beginSync, syncsOf } from './begin.ts'
import { earlierSyncs } from './queries.ts'
import { readingOf } from './reading.ts'
import { isDue, stagesOf } from './rules.ts'

/** The integrations that the service reads. */
const NAMES = REGISTRY.filter(({ category }) => stagesOf(category).length > 0).map(({ name }) => name)

interface DueSync extends Tenancy {
  name: string
  /** The latest instant for which a sync is due, and for which a full one is. */
  due_at: Date
  full_due_at: Date
}

// Each connection has a minute of its own, in the hour and in the day, so that syncs are spread over both.
const DUE = statement(
  'integration_syncs.due',
  `with place as (
     select c.tenant_id, c.environment, c.name, timestamptz '2000-01-01 00:00Z'
       + (hashtext(c.connection_id) & 2147483647) % 1440 * interval '1 minute' as origin
     from ${CALLED_SYSTEMS} c
     where c.environment = $1 and c.name = any($3::text[]) and ($4::text is null or c.tenant_id = $4::text)
   ), due as (
     select p.tenant_id, p.environment, p.name, date_bin('1 hour', $2::timestamptz, p.origin) as due_at,
       date_bin('1 day', $2::timestamptz, p.origin) as full_due_at
     from place p
   )
   select d.* from due d
   where not exists (
     select from integration_sync s
     where s.tenant_id = d.tenant_id and s.environment = d.environment and s.name = d.name
       and (s.status in ('QUEUED', 'RUNNING') or (s.created_at >= d.due_at and s.stages -> 0 ->> 'stage' <> 'CUSTOMERS')))
   order by d.due_at limit 200`,
)

const BEGIN_MS = 15_000

type DueContext = Pick<JobContext, 'services' | 'now' | 'request' | 'log'>

/** Begins the sync, unless another process has, or somebody else. */
async function begin(
  { services, request }: DueContext,
  { name, due_at, full_due_at, ...tenancy }: DueSync,
): Promise<void> {
  const ctx = serviceContext(services, 'integrations.begin_syncs', request.id, tenancy)
  const integration = requireIntegration(name)
  await inTransaction(ctx, BEGIN_MS, async () => {
    await lockTenant(ctx, syncsOf(ctx, integration))
    const earlier = await earlierSyncs(ctx, name)
    if (!isDue(earlier, due_at)) return
    const full = earlier.last_full === null || earlier.last_full < full_due_at
    const reading = readingOf(integration.category, { ...earlier, full, now: ctx.now })
    const stages = stagesOf(integration.category)
    await beginSync(ctx, { integration, ...reading, accept_missing: false, stages }, null)
  })
}

/** Begins the syncs that are due: of each connection one of changes in an hour, and a full one in a day. */
export async function beginDueSyncs(ctx: DueContext, tenant_id: string | null = null): Promise<void> {
  const { services, now, log } = ctx
  const values = [services.environment, now, NAMES, tenant_id]
  for (const due of await services.database.sql.rows<DueSync>(DUE, values)) {
    try {
      await begin(ctx, due)
    } catch (err) {
      log.error({ err, tenant_id: due.tenant_id, name: due.name }, 'a sync that is due did not begin')
    }
  }
}
