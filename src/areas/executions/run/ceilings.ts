/** The ceilings of a run: beyond them it makes no further call. */
import { runStop } from '../../billing/index.ts'
import { ceilingsOf } from '../rules/settings.ts'
import type { RunState } from './state.ts'

export interface Ceiling {
  code: string
  error: string
}

const STOPS = {
  subscription_inactive: 'The subscription is paused, or has ended.',
  credits_exhausted: 'The credits of the billing period are used up.',
} as const

/** The reason why the subscription lets the run make no call; null: it does. */
export async function subscriptionCeiling({ ctx }: RunState): Promise<Ceiling | null> {
  const code = await runStop(ctx)
  return code && { code, error: STOPS[code] }
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
