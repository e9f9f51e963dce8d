/** The table of feedback, and its list. */
import { ofAgent, restrictedUser, SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import type { Condition } from '../../db/query/list.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { facet } from '../../schema/lists/list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { type EntryRow, entryEtag, FeedbackEntry, FeedbackRating, TAGGED, titleOf } from './entry.ts'
import { submitted } from './events.ts'

/** The id of a restricted user, who sees feedback about own and shared agents, and about none; null sees all. */
export const userOf = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

/** The SQL of the values of `agent_or_none` that the parameter `$user` may see. */
export const VISIBLE_OR_NONE = `(${SEEN_AGENTS} union all select 0)`

/** Feedback about the agents that the user sees, and about no agent. */
const SEEN: Condition = {
  text: `f.agent_or_none = any(array${VISIBLE_OR_NONE})`,
  ranges: { rows: `${VISIBLE_OR_NONE} a`, alias: 'a', columns: ['id'], on: 'f.agent_or_none = a.id' },
}

type Status = EntryRow['status']

export const ENTRY = defineTable<EntryRow, Status>()('FeedbackEntry', {
  alias: 'f',
  noun: 'feedback',
  type: FeedbackEntry,
  argument: 'feedback_id',
  description: 'The id of the feedback.',
  not_found: 'feedback_not_found',
  title: titleOf,
  etag: entryEtag,
  // The words of an end user are read in the feedback alone.
  recorded: ({ comment: _comment, accepted_at: _accepted_at, ...entry }) => entry,
  visible: (ctx) => (userOf(ctx) === null ? null : SEEN),
  parameters: { user: userOf },
  constant: ['execution_id', 'ticket_id', 'ticket_number', 'ticket_title', 'agent_id', 'expires_at'],
  unread: ['agent_or_none', 'rating_or_none'],
  tagged: TAGGED,
  events: (verb, entry, before) =>
    verb === 'submitted' && entry.rating !== before?.rating ? submitted(entry) : [],
  state: {
    of: ({ status }) => status,
    // A revoked link is the one that takes no answer.
    refusal: ({ id }) => new ApiError('feedback_not_found', { details: { id } }),
  },
})

// An index has the feedback of each agent by this column, which is of no agent if it is 0.
const OF_AGENT = ofAgent('f.agent_or_none', '$agent_id::int')
const OF_SEEN_AGENT: Condition = {
  text: `f.agent_or_none = any(array(${SEEN_AGENTS}))`,
  ranges: {
    rows: `(${SEEN_AGENTS} and a.id = $agent_id::int) a`,
    alias: 'a',
    columns: ['id'],
    on: 'f.agent_or_none = a.id',
  },
}

const FACETS = { status: 'f.status', rating_or_none: 'f.rating_or_none' }

// Contract silent: an agent that the caller does not see, or that is not there, has no feedback to list.
/** The feedback that the caller sees, the newest first. */
export const ENTRIES = ENTRY.list({
  name: 'feedback_entries',
  facets: FACETS,
  facets_of_agents: FACETS,
  parameters: { agent_id: (_ctx, { agent_id }) => agent_id },
  visible: (ctx, { agent_id }) => {
    if (userOf(ctx) === null) return null
    return agent_id == null ? SEEN : OF_SEEN_AGENT
  },
  filters: {
    status: ENTRY.by.isOneOf('status', 'Only feedback with one of these statuses', 'facet'),
    rating: {
      type: [FeedbackRating],
      min_items: 1,
      description: 'Only feedback with one of these ratings: separated by commas, or repeated.',
      where: facet('f.rating_or_none = any(?::text[])'),
    },
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only feedback about this agent, by its `id`.',
      where: () => OF_AGENT,
    },
    end_company_id: ENTRY.by.is(
      'end_company_id',
      'Only feedback of this end company, by its `id`.',
      'indexed',
    ),
    execution_id: ENTRY.by.is('execution_id', 'Only feedback about this execution.', 'indexed'),
  },
})
