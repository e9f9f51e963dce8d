/** The ceilings of a run: beyond them it makes no further call. */
import { runStop } from '../../../billing/index.ts'
import { isSuspended } from '../../../tenant/index.ts'
import { ceilingsOf } from '../rules/settings.ts'
import type { RunState } from '../run/run-lock.ts'

export interface Ceiling {
  code: string
  error: string
}

const STOPS = {
  subscription_inactive: 'The subscription is paused, or has ended.',
  credits_exhausted: 'The credits of the billing period are used up.',
  tenant_suspended: 'The tenant is suspended.',
} as const

/** The reason why the tenant or its subscription lets the run make no call; null: it does. */
export async function subscriptionCeiling({ ctx }: RunState): Promise<Ceiling | null> {
  const code = await runStop(ctx)
  return code && { code, error: STOPS[code] }
}

/**
 * The reason why the run does not go on with what it has begun, nor asks its model, before the ceilings of its next call
 * are judged; null: it does. It is the suspension of the tenant alone.
 */
export async function suspension({ ctx }: RunState): Promise<Ceiling | null> {
  const code = 'tenant_suspended'
  return (await isSuspended(ctx)) ? { code, error: STOPS[code] } : null
}

/** The ceiling that a further call would be over; null: it can be made. */
export async function ceilingOfNext(run: RunState): Promise<Ceiling | null> {
  const { ctx, agent, calls } = run
  const { max_tool_calls } = ceilingsOf(agent.agent_settings)
  if (calls.length >= max_tool_calls) {
    const error = `The agent wanted to make more than ${max_tool_calls} tool calls.`
    return { code: 'max_tool_calls', error }
  }
  ctx.now = ctx.services.now()
  return await subscriptionCeiling(run)
}
