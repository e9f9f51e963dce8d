/** The warning of a sync that left something undone. */
import { QUESTIONS_A_DAY } from '../billing/index.ts'
import type { Progress, Unasked } from './rules.ts'

const REASONS: Record<Unasked, string> = {
  questions_used_up: `the ${QUESTIONS_A_DAY} questions of the day are used up`,
  credits_exhausted: 'the credits of the billing period are used up',
  subscription_inactive: 'the subscription is paused, or has ended',
  tenant_suspended: 'the tenant is suspended',
  model_failed: 'the model could not be reached, or gave no answer',
}

/** The work that the sync left undone although nothing failed; null: none. */
// Contract silent: a sync that could not ask the model has SUCCEEDED, with a warning.
export function warningOf({ stages }: Pick<Progress, 'stages'>): string | null {
  const unasked = stages.find((stage) => stage.unasked)?.unasked
  return unasked
    ? `The model was not asked about customers that no other rung settled (${unasked.customers}): ${REASONS[unasked.reason]}. A later sync asks about them.`
    : null
}
