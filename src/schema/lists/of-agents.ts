/**
 * Lists of rows that belong to an agent or to none, by the column `agent_or_none`, which is 0 if they belong to none: indexes
 * have the rows of each agent by it.
 */
import { ofAgent, ofVisibleAgents, restrictedUser, SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import type { Condition } from '../../db/query/list.ts'
import type { Context } from '../../gateway/context.ts'
import type { Arguments, Filter } from './list.ts'

/** The id of a restricted user, who sees rows of own and shared agents, and of none; null sees all. */
export const restrictedUserOf = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

/** The SQL of the values of `agent_or_none` that the parameter `$user` may see. */
export const SEEN_OR_NONE = `(${SEEN_AGENTS} union all select 0)`

/** The sight of the rows `alias`, and the filter of their lists by agent. */
export function ofAgentsOrNone(alias: string) {
  const column = `${alias}.agent_or_none`
  const seen: Condition = {
    text: `${column} = any(array${SEEN_OR_NONE})`,
    ranges: { rows: `${SEEN_OR_NONE} a`, alias: 'a', columns: ['id'], on: `${column} = a.id` },
  }
  const of_agent = ofAgent(column, '$agent_id::int')
  const of_seen_agent = ofVisibleAgents(column, '$agent_id::int')
  return {
    /** The rows of agents that the user sees, and of no agent. */
    seen,
    /** For the table. */
    sight: {
      visible: (ctx: Context) => (restrictedUserOf(ctx) === null ? null : seen),
      parameters: { user: restrictedUserOf },
    },
    // Contract silent: a list of an agent that the caller does not see, or that does not exist, is empty.
    /** For a list with the filter `agent_id`. */
    by_agent: {
      parameters: { agent_id: (_ctx: Context, { agent_id }: Arguments) => agent_id },
      visible(ctx: Context, { agent_id }: Arguments) {
        if (restrictedUserOf(ctx) === null) return null
        return agent_id == null ? seen : of_seen_agent
      },
    },
    /** The filter `agent_id`. */
    agent_id: (description: string): Filter<'Int'> => ({
      type: 'Int',
      min: 1,
      description,
      where: () => of_agent,
    }),
  }
}
