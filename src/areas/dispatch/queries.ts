/** The table of decisions, and their list. */
import { ApiError } from '../../errors/errors.ts'
import { ofAgentsOrNone } from '../../schema/lists/of-agents.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { type DecisionRow, DispatchDecision, decisionEtag, TAGGED } from './decision.ts'
import { dispatchEvent } from './events.ts'

const OF_AGENTS = ofAgentsOrNone('d')

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
  ...OF_AGENTS.sight,
  constant: ['ticket_id', 'ticket_number', 'rule_id', 'strategy', 'candidates', 'suggested_technician_id'],
  unread: ['agent_or_none'],
  tagged: TAGGED,
  events(verb, decision) {
    if (verb === 'expired' || verb === 'failed') return [dispatchEvent('closed', decision)]
    return verb === 'applied' || verb === 'overridden' ? [dispatchEvent(verb, decision)] : []
  },
  state: {
    of: ({ status }) => status,
    refusal: (_decision, status) => closed(status),
  },
})

const FACETS = { status: 'd.status' }

/** The decisions that the caller sees, the newest first. */
export const DECISIONS = DECISION.list({
  name: 'dispatch_decisions',
  facets: FACETS,
  facets_of_agents: FACETS,
  ...OF_AGENTS.by_agent,
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
    agent_id: OF_AGENTS.agent_id('Only decisions of this agent, by its `id`.'),
    execution_id: DECISION.by.is('execution_id', 'Only decisions of this execution.', 'indexed'),
    from: DECISION.by.since('created_at', 'decisions made'),
    to: DECISION.by.before('created_at', 'decisions made'),
  },
})
