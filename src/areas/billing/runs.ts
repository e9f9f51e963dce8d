/** Decides whether the subscription lets agents run. */
import type { DatabaseContext } from '../../db/db.ts'
import { ApiError } from '../../errors.ts'
import { periodAt, runRefusal, statusAt } from './rules.ts'
import { readCredits, readTerms, type SubscriptionRow } from './subscription.ts'

/** 409 where the subscription, by its stored terms, is not active, or its credits are used up and no more are allowed. */
export async function checkSubscription(
  ctx: DatabaseContext & { now: Date },
  terms: SubscriptionRow,
): Promise<void> {
  const status = statusAt(terms, ctx.now)
  const period = periodAt(terms, ctx.now)
  // Only the plans that stop at their credits need the sum.
  const used = terms.overage_allowed ? 0 : await readCredits(ctx, period)
  const code = runRefusal(status, terms, used)
  if (code === null) return
  const details = { current_state: status, current_period_end: period.to }
  throw new ApiError(code, { details })
}

// Contract silent: a run under way makes no call once the credits are used up, where the plan allows no more of them. It
// goes on, however, while the subscription is paused or has ended: only starts are refused then.
/** True where a run may use more credits. */
export async function hasCredits(ctx: DatabaseContext & { now: Date }): Promise<boolean> {
  const terms = await readTerms(ctx)
  if (terms.overage_allowed) return true
  return (await readCredits(ctx, periodAt(terms, ctx.now))) < terms.credits_included
}
