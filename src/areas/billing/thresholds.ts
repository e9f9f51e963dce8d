/** Tells of the thresholds that the credits of a billing period reach: once for each threshold and period. */
import { randomUUID } from 'node:crypto'
import { type DatabaseContext, scoped, scopedInsert, sql } from '../../db/db.ts'
import { raise } from '../../db/live/raise.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import { daysBefore } from '../../lib/time.ts'
import type { Window } from '../../lib/window.ts'
import { hasWorkedSince } from '../performance/index.ts'
import { tenantWith } from '../tenant/index.ts'
import { BILLING_EVENTS } from './events.ts'
import { DEFAULT_THRESHOLDS, reachedThresholds, watchedPeriods } from './rules.ts'
import { readCredits, readTerms, type SubscriptionRow } from './subscription.ts'

/** No month is longer, and the job looks at a period for an hour after its end. */
const DAYS = 32

const TENANTS = statement(
  'billing.tenants_with_usage',
  `select t.id as tenant_id from tenant t
   where ($3::text is null or t.id = $3) and (${hasWorkedSince('t.id', '$1::date')} or exists (
     select from model_question q where q.tenant_id = t.id and q.environment = $2 and q.at >= $1::date and q.credits > 0))
   order by t.id`,
)

const UNTOLD = scoped(
  'billing.untold_thresholds',
  `select pct from (
     select unnest(coalesce(a.thresholds_pct, array[${DEFAULT_THRESHOLDS.join(', ')}])) as pct
     ${tenantWith('billing_alerts', 'a')}
   ) thresholds
   where not exists (select from billing_threshold told where told.tenant_id = $1 and told.environment = $2
     and told.period_start = $3::timestamptz and told.threshold_pct = thresholds.pct)
   order by pct`,
)

// A second process that waits for the rows finds that they are there.
const REACH = scopedInsert(
  'billing.reach_thresholds',
  `insert into billing_threshold (tenant_id, environment, period_start, threshold_pct, reached_at)
   select $1, $2, $3::timestamptz, pct, $5::timestamptz from unnest($4::int[]) pct
   on conflict do nothing returning threshold_pct`,
)

type BillingContext = DatabaseContext & { now: Date }

const WRITE_MS = 10_000

/** Raises the events of the thresholds that the credits of the period have reached. */
async function reachIn(ctx: BillingContext, terms: SubscriptionRow, period: Window): Promise<void> {
  const untold = await sql<{ pct: number }>(ctx, UNTOLD, [period.from])
  if (untold.length === 0) return
  const used = await readCredits(ctx, period)
  const reached = reachedThresholds(
    untold.map(({ pct }) => pct),
    terms,
    used,
  )
  if (reached.length === 0) return
  const common = {
    credits_used: used,
    credits_included: terms.credits_included,
    period_start: period.from.toISOString(),
    period_end: period.to.toISOString(),
  }
  await inTransaction(ctx, WRITE_MS, async () => {
    const stored = await sql<{ threshold_pct: number }>(ctx, REACH, [period.from, reached, ctx.now])
    await raise(
      ctx,
      stored.map(({ threshold_pct }) => BILLING_EVENTS.threshold_reached({ ...common, threshold_pct })),
    )
  })
}

interface Options {
  /** Only this tenant. */
  tenant_id?: string | null
}

/** Raises `billing.threshold_reached` for all tenants that have used credits lately. Safe to run concurrently. */
export async function reachThresholds(
  { services, now, signal, log }: Pick<UnboundJobContext, 'services' | 'now' | 'signal' | 'log'>,
  { tenant_id: only = null }: Options = {},
): Promise<void> {
  const { database, environment } = services
  const since = daysBefore(now, DAYS).toISOString().slice(0, 10)
  const tenants = await database.sql.rows<{ tenant_id: string }>(TENANTS, [since, environment, only])
  for (const { tenant_id } of tenants) {
    if (signal.aborted) return
    const tenancy = { tenant_id, environment }
    const ctx = { ...serviceContext(services, 'billing.reach_thresholds', randomUUID(), tenancy), now }
    try {
      const terms = await readTerms(ctx)
      for (const period of watchedPeriods(terms, now)) await reachIn(ctx, terms, period)
    } catch (error) {
      log.error({ err: error, tenant_id }, 'the thresholds of a tenant could not be looked at')
    }
  }
}
