/** Decides whether the subscription lets agents run. */
import type { DatabaseContext } from '../../db/db.ts'
import { ApiError } from '../../errors.ts'
import { periodAt, runRefusal, statusAt } from './rules.ts'
import { readCredits, type SubscriptionRow } from './subscription.ts'

// Contract silent: credits are checked when a run starts; what is under way goes on, and may use more than is left.
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
