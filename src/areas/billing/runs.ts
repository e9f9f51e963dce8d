/** Decides whether the subscription lets agents run. */
import type { DatabaseContext } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { periodAt, runRefusal, statusAt } from './rules.ts'
import { readCredits, readTerms, type SubscriptionRow } from './subscription.ts'

type BillingContext = DatabaseContext & { now: Date }

/** The refusal of a run by the stored terms; null if agents may run. */
async function refusalBy(ctx: BillingContext, terms: SubscriptionRow) {
  const current_state = statusAt(terms, ctx.now)
  const period = periodAt(terms, ctx.now)
  // Only the plans that stop at their credits need the sum.
  const used = terms.overage_allowed ? 0 : await readCredits(ctx, period)
  const code = runRefusal(current_state, terms, used)
  return code && { code, details: { current_state, current_period_end: period.to } }
}

/** 409 if the subscription, by its stored terms, is not active, or its credits are used up and no more are allowed. */
export async function checkSubscription(ctx: BillingContext, terms: SubscriptionRow): Promise<void> {
  const refusal = await refusalBy(ctx, terms)
  if (refusal) throw new ApiError(refusal.code, { details: refusal.details })
}

// Contract silent: what refuses a new run also stops one under way before its next call.
/** The code with which a run under way is stopped; null if it goes on. */
export async function runStop(
  ctx: BillingContext,
): Promise<ReturnType<typeof runRefusal> | 'tenant_suspended'> {
  const terms = await readTerms(ctx)
  if (terms.suspended) return 'tenant_suspended'
  return (await refusalBy(ctx, terms))?.code ?? null
}
