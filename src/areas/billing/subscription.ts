/** The subscription of the tenant, as it is read and answered. */
import { requireTenantRow } from '../../access/credentials/credential.ts'
import { type DatabaseContext, db, ownKey, scoped, sql } from '../../db/db.ts'
import { select } from '../../db/query/fragment.ts'
import type { Window } from '../../lib/window.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { onlyRowId } from '../../schema/scalars/entity-id.ts'
import { BOUNDS, boundsOf, partsOf } from '../performance/index.ts'
import { tenantWith } from '../tenant/index.ts'
import { type Credits, creditsOf, DEFAULT_PLAN, periodAt, statusAt } from './rules.ts'

export type SubscriptionRow = Row<'Subscription'>

/** The subscription now: its status and billing period by the clock, and the credits of the period. */
interface CurrentSubscription extends SubscriptionRow, Credits {
  current_period_start: Date
  current_period_end: Date
}

const READ = scoped(
  'billing.subscription',
  `select coalesce(s.status, '${DEFAULT_PLAN.status}')::text as status,
     coalesce(s.plan_name, '${DEFAULT_PLAN.plan_name}') as plan_name,
     coalesce(s.first_period_start, t.created_at) as first_period_start, s.trial_ends_at, s.ends_at,
     coalesce(s.credits_included, ${DEFAULT_PLAN.credits_included}) as credits_included,
     coalesce(s.overage_allowed, ${DEFAULT_PLAN.overage_allowed}) as overage_allowed, s.seats,
     coalesce(s.updated_at, t.created_at) as updated_at, t.suspended_at is not null as suspended
   ${tenantWith('subscription', 's')}`,
)

interface StoredTerms extends SubscriptionRow {
  /** True while the tenant is suspended. */
  suspended: boolean
}

/** The stored subscription, or the defaults of a tenant that has stored none. */
export const readTerms = async (ctx: DatabaseContext): Promise<StoredTerms> =>
  requireTenantRow((await sql<StoredTerms>(ctx, READ))[0])

const CREDITS = `select coalesce(sum(credits_consumed), 0) as credits from (
    select credits_consumed from (${partsOf(BOUNDS)}) parts
    union all select credits from model_question
    where tenant_id = $1 and environment = $2 and at >= $from::timestamptz and at < $to::timestamptz
  ) used`

/** The credits that the agents of the tenant used in the window, and the service for questions of its own. */
export async function readCredits(ctx: DatabaseContext, window: Window): Promise<number> {
  const [row] = await select<{ credits: number }>(ctx, 'billing.credits', { text: CREDITS }, boundsOf(window))
  return row?.credits ?? 0
}

export async function readSubscription(ctx: DatabaseContext & { now: Date }): Promise<CurrentSubscription> {
  const terms = await readTerms(ctx)
  const period = periodAt(terms, ctx.now)
  return {
    ...terms,
    status: statusAt(terms, ctx.now),
    current_period_start: period.from,
    current_period_end: period.to,
    ...creditsOf(terms, await readCredits(ctx, period)),
  }
}

/** Puts the tenant on the default plan, if it has no subscription yet. */
export async function subscribe(ctx: DatabaseContext & { now: Date }): Promise<void> {
  const data = ownKey(ctx, { first_period_start: ctx.now, updated_at: ctx.now })
  await db(ctx).subscription.createMany({ data, skipDuplicates: true })
}

const SubscriptionStatus = enumFrom('SubscriptionStatus')

const from = madeOf<CurrentSubscription>()

// GraphQL has a root type called Subscription.
export const BillingSubscription = rowType('Subscription', {
  name: 'BillingSubscription',
  description: 'The tenant’s subscription in this environment, and the credits of the billing period.',
  fields: (t) => {
    return {
      id: t.id(onlyRowId('subscription')),
      status: t.expose('status', { type: SubscriptionStatus, description: 'The present status.' }),
      ...t.columns('plan_name'),
      current_period_start: t.field({
        type: 'DateTime',
        description: 'When the billing period began. An ended subscription keeps its last one.',
        ...from('current_period_start'),
      }),
      current_period_end: t.field({
        type: 'DateTime',
        description: 'When the billing period ends, exclusive: the next one begins with new credits.',
        ...from('current_period_end'),
      }),
      ...t.columns('trial_ends_at'),
      cancel_at_period_end: t.boolean({
        description: 'True if the subscription was cancelled, and ends or ended with its billing period.',
        ...from(['ends_at'], ({ ends_at }) => ends_at !== null),
      }),
      credits_included: t.expose('credits_included', { type: 'NonNegativeInt' }),
      credits_used: t.field({
        type: 'NonNegativeFloat',
        description:
          'Credits that all agents used in the billing period, also those that the caller does not see, and those of the ' +
          'service’s own questions to the model about customers of integrations.',
        ...from('credits_used'),
      }),
      credits_remaining: t.field({
        type: 'NonNegativeFloat',
        description: 'Included credits that are left.',
        ...from('credits_remaining'),
      }),
      ...t.columns('overage_allowed'),
      overage_credits_used: t.field({
        type: 'NonNegativeFloat',
        description: 'Credits that were used beyond the included ones.',
        ...from('overage_credits_used'),
      }),
      seats: t.expose('seats', { type: 'NonNegativeInt', nullable: true }),
    }
  },
})
