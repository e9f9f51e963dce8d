/** The SQL of agents. */

import { restrictedUser, SEEN_AGENTS, visibleAgents } from '../../access/policies/visibility.ts'
import { callerOf, personIdOf } from '../../access/viewer.ts'
import { allOf, select } from '../../db/query/fragment.ts'
import { ascending, descending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { filtersOf } from '../../schema/lists/column-filters.ts'
import { rowLoader, type WantedRow } from '../../schema/lists/data-loader.ts'
import { defineList, searchFor } from '../../schema/lists/list.ts'
import type { AgentRow } from './agent.ts'

const by = filtersOf('Agent', 'a')

// Contract silent: a chat agent has no executions; it ran last when it last consumed credits.
/** The SQL of `last_run_at`, of rows of `agent a`. */
export const LAST_RUN_AT = `case when a.autonomy_type = 'CONVERSATIONAL' then (
    select c.at from credit_entry c
    where c.tenant_id = a.tenant_id and c.environment = a.environment and c.agent_id = a.id
    order by c.at desc limit 1
  ) else (
    select e.created_at from execution e
    where e.tenant_id = a.tenant_id and e.environment = a.environment and e.agent_id = a.id
    order by e.created_at desc limit 1
  ) end`

const SHARED_WITH_ME = `(a.created_by_user_id is distinct from $person::text and exists (
    select from agent_share s where s.tenant_id = a.tenant_id and s.environment = a.environment
      and s.agent_id = a.id and s.user_id = $person::text))`

/** The columns of `agent a`, for the person that is the parameter `person`. */
export const columns = projection('Agent', 'a', {
  computed: { shared_with_me: SHARED_WITH_ME, last_run_at: LAST_RUN_AT },
  always: ['id'],
})

/** The columns that decide whether an agent runs. */
export const RUNNABLE = new Set([
  'name',
  'state',
  'autonomy_type',
  'trigger_type',
  'entity_type',
  'supervised',
  'supervisor_technician_ids',
  'ticket_conditions',
  'time_entry_conditions',
])

export const person = (ctx: Context): string | null => personIdOf(callerOf(ctx))

const ARCHIVED_IF_ASKED = ' Archived ones are listed only if ARCHIVED is among them.'

/** The agents that the caller sees. Archived ones are among them only if they are asked for. */
export const AGENTS = defineList<AgentRow>()({
  name: 'agents',
  from: 'agent a',
  columns,
  parameters: { person },
  visible: (ctx) => visibleAgents(callerOf(ctx)),
  // Contract silent: the newest agents come first, unless they are asked for by name.
  order: {
    type: 'AgentSort',
    by: {
      created_at: {
        description: 'The newest first, then by `id` downwards.',
        keys: [descending('created_at', 'timestamptz'), descending('id', 'int')],
      },
      name: {
        description: 'By name in any letter case, then by `id`.',
        keys: [ascending('sort_name', 'text'), ascending('id', 'int')],
      },
    },
  },
  filters: {
    state: {
      ...by.isOneOf('state', 'Only agents in one of these states', null, ARCHIVED_IF_ASKED),
      otherwise: `a.state <> 'ARCHIVED'`,
    },
    autonomy_type: by.is('autonomy_type', 'Only agents of this kind.'),
    trigger_type: by.is('trigger_type', 'Only agents that this makes run.'),
    entity_type: by.is('entity_type', 'Only agents that work on this.'),
    supervised: by.is('supervised', 'true: only supervised ones. false: only the others.'),
    search: searchFor('a.sort_name', 'Only agents whose name contains this, in any letter case.'),
  },
})

/** The columns that the entity tag is made of. */
const TAGGED = ['revision', 'shared_with_me', 'last_run_at']

/** The agent, in whatever state, with the fields that are wanted; 404 if the caller does not see it. */
export async function readAgent(
  ctx: Context,
  agent_id: number,
  wanted: ReadonlySet<string>,
): Promise<AgentRow> {
  const visible = visibleAgents(callerOf(ctx))
  const conditions = allOf([{ text: 'a.id = ?::int', values: [agent_id] }, ...(visible ? [visible] : [])])
  const text = `select ${columns.select(wanted, TAGGED)} from agent a
    where a.tenant_id = $1 and a.environment = $2${conditions.text}`
  const [row] = await select<AgentRow>(ctx, 'agent', { ...conditions, text }, { person: person(ctx) })
  return found(row, 'agent_not_found', agent_id)
}

/** The agent, with the fields that are wanted; null if the caller does not see it. */
export const agentIfSeen = rowLoader<number, AgentRow>(
  (ctx, ids, fields) => {
    const visible = visibleAgents(callerOf(ctx))
    const conditions = allOf(visible ? [visible] : [])
    const text = `select ${columns.select(fields)} from agent a
      where a.tenant_id = $1 and a.environment = $2 and a.id = any($ids::int[])${conditions.text}`
    return select<AgentRow>(ctx, 'agent', { ...conditions, text }, { person: person(ctx), ids })
  },
  ({ id }) => id,
)

/** The agent of a row that the caller sees through it, with the fields that are wanted. */
export const agentOf = async (ctx: Context, wanted: WantedRow<number>): Promise<AgentRow> =>
  found(await agentIfSeen(ctx, wanted), 'agent_not_found', wanted.id)

const SEEN = `${SEEN_AGENTS} and a.id = any($ids::int[])`

/** The agents with these ids that the caller sees. */
export async function seenAgents(ctx: Context, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const parameters = { user: restrictedUser(callerOf(ctx)), ids }
  const rows = await select<{ id: number }>(ctx, 'agents.seen', { text: SEEN }, parameters)
  return new Set(rows.map(({ id }) => id))
}
