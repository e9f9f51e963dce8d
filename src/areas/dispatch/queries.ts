/** The table of decisions, and their list. */
import { ofAgent, restrictedUser, SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import type { Condition } from '../../db/query/list.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { type DecisionRow, DispatchDecision, decisionEtag, TAGGED } from './decision.ts'
import { closedEvent, dispatchEvent } from './events.ts'

/** The id of a restricted user, who sees decisions of own and shared agents, and of none; null sees all. */
export const userOf = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

/** The SQL of the values of `agent_or_none` that the parameter `$user` may see. */
export const VISIBLE_OR_NONE = `(${SEEN_AGENTS} union all select 0)`

/** Decisions of the agents that the user sees, and of no agent. */
const SEEN: Condition = {
  text: `d.agent_or_none = any(array${VISIBLE_OR_NONE})`,
  ranges: { rows: `${VISIBLE_OR_NONE} a`, alias: 'a', columns: ['id'], on: 'd.agent_or_none = a.id' },
}

export type Status = DecisionRow['status']

/** The refusal of a change of a decision that takes none. */
export const closed = (status: Status): ApiError =>
  new ApiError('dispatch_decision_closed', { details: { status } })

export const DECISION = defineTable<DecisionRow, Status>()('DispatchDecision', {
  alias: 'd',
  noun: 'dispatch_decision',
  type: DispatchDecision,
  argument: 'decision_id',
  description: 'The id of the decision.',
  not_found: 'dispatch_decision_not_found',
  title: ({ ticket_id, ticket_number }) => ticket_number ?? ticket_id,
  etag: decisionEtag,
  // The candidates are read in the decision alone.
  recorded: ({ candidates: _candidates, assignment: _assignment, ...decision }) => decision,
  visible: (ctx) => (userOf(ctx) === null ? null : SEEN),
  parameters: { user: userOf },
  constant: ['ticket_id', 'ticket_number', 'rule_id', 'strategy', 'candidates', 'suggested_technician_id'],
  unread: ['agent_or_none'],
  tagged: TAGGED,
  events(verb, decision) {
    if (verb === 'expired' || verb === 'failed') return [closedEvent(decision)]
    return verb === 'applied' || verb === 'overridden' ? [dispatchEvent(verb, decision)] : []
  },
  state: {
    of: ({ status }) => status,
    refusal: (_decision, status) => closed(status),
  },
})

// An index has the decisions of each agent by this column, which is of no agent if it is 0.
const OF_AGENT = ofAgent('d.agent_or_none', '$agent_id::int')
const OF_SEEN_AGENT: Condition = {
  text: `d.agent_or_none = any(array(${SEEN_AGENTS}))`,
  ranges: {
    rows: `(${SEEN_AGENTS} and a.id = $agent_id::int) a`,
    alias: 'a',
    columns: ['id'],
    on: 'd.agent_or_none = a.id',
  },
}

const FACETS = { status: 'd.status' }

// Contract silent: an agent that the caller does not see, or that is not there, has no decisions to list.
/** The decisions that the caller sees, the newest first. */
export const DECISIONS = DECISION.list({
  name: 'dispatch_decisions',
  facets: FACETS,
  facets_of_agents: FACETS,
  parameters: { agent_id: (_ctx, { agent_id }) => agent_id },
  visible: (ctx, { agent_id }) => {
    if (userOf(ctx) === null) return null
    return agent_id == null ? SEEN : OF_SEEN_AGENT
  },
  filters: {
    status: DECISION.by.isOneOf('status', 'Only decisions with one of these statuses', 'facet'),
    technician_id: {
      type: 'Int',
      min: 1,
      description: 'Only decisions that chose this technician, by the `id`.',
      // A technician is chosen often, and for many agents.
      where: (id) => ({ text: 'd.chosen_technician_id = ?::int', values: [id], is_indexed_by_agent: true }),
    },
    ticket_id: DECISION.by.is(
      'ticket_id',
      'Only decisions about the ticket with this id in the PSA.',
      'indexed',
    ),
    entity_number: DECISION.by.is(
      'ticket_number',
      'Only decisions about the ticket that people know by this number.',
      'indexed',
    ),
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only decisions of this agent, by its `id`.',
      where: () => OF_AGENT,
    },
    execution_id: DECISION.by.is('execution_id', 'Only decisions of this execution.', 'indexed'),
    from: DECISION.by.since('created_at', 'decisions made'),
    to: DECISION.by.before('created_at', 'decisions made'),
  },
})
