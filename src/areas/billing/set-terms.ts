/** The terms of a subscription, as the operator of the service sets them. */
import { isDeepStrictEqual } from 'node:util'
import { lockTenant } from '../../db/transaction.ts'
import { insertRecorded, recordedInsert } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import type { Row } from '../../schema/models.ts'
import { periodAt, termsProblem } from './rules.ts'
import { readTerms } from './subscription.ts'

const NAMES = [
  'status',
  'plan_name',
  'first_period_start',
  'trial_ends_at',
  'ends_at',
  'credits_included',
  'overage_allowed',
  'seats',
] as const

type SubscriptionTerms = Pick<Row<'Subscription'>, (typeof NAMES)[number]>

/** The columns to change; an absent one stays. */
export interface TermsChange extends Partial<Omit<SubscriptionTerms, 'ends_at'>> {
  /** true: the subscription ends with its billing period. false: it goes on. */
  cancelled?: boolean
}

const STORE = recordedInsert('billing.set_terms', 'Subscription', {
  columns: [...NAMES, 'updated_at'],
  on_conflict: { key: [], replace: [...NAMES, 'updated_at'] },
  returning: ['updated_at'],
})

/** Changes the terms, and answers with them. Throws if a subscription cannot have them. */
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
    const activity = { action: 'subscription.changed', targets, before, after: terms }
    await insertRecorded(ctx, STORE, { ...terms, updated_at: ctx.now }, activity)
  }
  return { terms, changed }
}
