/** The terms of a subscription, as the operator of the service sets them. */
import { isDeepStrictEqual } from 'node:util'
import { lockTenant } from '../../db/transaction.ts'
import { recordedWrite, writeRecorded } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import type { Row } from '../../schema/models.ts'
import { periodAt, termsProblem } from './rules.ts'
import { readTerms } from './subscription.ts'

/** The terms with the types of their columns. */
const TYPES = {
  status: 'text::subscription_status',
  plan_name: 'text',
  first_period_start: 'timestamptz',
  trial_ends_at: 'timestamptz',
  ends_at: 'timestamptz',
  credits_included: 'int',
  overage_allowed: 'boolean',
  seats: 'int',
} as const

const NAMES = Object.keys(TYPES) as (keyof typeof TYPES)[]

type SubscriptionTerms = Pick<Row<'Subscription'>, keyof typeof TYPES>

/** The columns to change; an absent one stays. */
export interface TermsChange extends Partial<Omit<SubscriptionTerms, 'ends_at'>> {
  /** true: the subscription ends with its billing period. false: it goes on. */
  cancelled?: boolean
}

const FIRST_OWN = 3
const UPDATED_AT = FIRST_OWN + NAMES.length

const STORE = recordedWrite(
  'billing.set_terms',
  `insert into subscription (tenant_id, environment, ${NAMES.join(', ')}, updated_at)
   values ($1, $2, ${NAMES.map((name, index) => `$${FIRST_OWN + index}::${TYPES[name]}`).join(', ')},
     $${UPDATED_AT}::timestamptz)
   on conflict (tenant_id, environment) do update
   set ${NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = excluded.updated_at
   returning 1 as stored`,
)

/** Changes the terms, and answers with them. Throws where a subscription cannot have them. */
export async function setTerms(
  ctx: MutationContext,
  { cancelled, ...given }: TermsChange,
): Promise<{ terms: SubscriptionTerms; changed: boolean }> {
  await lockTenant(ctx, 'subscription')
  const stored = await readTerms(ctx)
  const before = Object.fromEntries(NAMES.map((name) => [name, stored[name]])) as SubscriptionTerms
  const kept = { ...before, ...given }
  const ends_at = cancelled === false ? null : kept.ends_at
  const terms =
    cancelled && ends_at === null ? { ...kept, ends_at: periodAt(kept, ctx.now).to } : { ...kept, ends_at }
  const problem = termsProblem(terms)
  if (problem) throw new Error(problem)
  const changed = !isDeepStrictEqual(terms, before)
  if (changed) {
    const targets = [{ type: 'subscription', id: 'subscription', name: terms.plan_name }]
    const values = [...NAMES.map((name) => terms[name]), ctx.now]
    await writeRecorded(ctx, STORE, values, { action: 'subscription.changed', targets, before, after: terms })
  }
  return { terms, changed }
}
