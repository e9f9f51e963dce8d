/** Effects of archiving an agent on areas that know agents. This area does not know them: they register here. */
import type { Context } from '../../gateway/context.ts'

type Effect = (ctx: Context, agent_id: number) => Promise<void>

const effects: Effect[] = []

/** Registers an effect in the transaction that archives an agent, such as that its channels are paused. */
export const whenArchived = (effect: Effect): void => {
  effects.push(effect)
}

/** Runs the registered effects for an archived agent. */
export async function applyArchiving(ctx: Context, agent_id: number): Promise<void> {
  for (const effect of effects) await effect(ctx, agent_id)
}
