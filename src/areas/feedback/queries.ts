/** The table of feedback, and its list. */
import { ApiError } from '../../errors/errors.ts'
import { facet } from '../../schema/lists/list.ts'
import { ofAgentsOrNone } from '../../schema/lists/of-agents.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { type EntryRow, entryEtag, FeedbackEntry, FeedbackRating, TAGGED, titleOf } from './entry.ts'
import { submitted } from './events.ts'

const OF_AGENTS = ofAgentsOrNone('f')

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
  ...OF_AGENTS.sight,
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

const FACETS = { status: 'f.status', rating_or_none: 'f.rating_or_none' }

/** The feedback that the caller sees, the newest first. */
export const ENTRIES = ENTRY.list({
  name: 'feedback_entries',
  facets: FACETS,
  facets_of_agents: FACETS,
  ...OF_AGENTS.by_agent,
  filters: {
    status: ENTRY.by.isOneOf('status', 'Only feedback with one of these statuses', 'facet'),
    rating: {
      type: [FeedbackRating],
      min_items: 1,
      description: 'Only feedback with one of these ratings: separated by commas, or repeated.',
      where: facet('f.rating_or_none = any(?::text[])'),
    },
    agent_id: OF_AGENTS.agent_id('Only feedback about this agent, by its `id`.'),
    end_company_id: ENTRY.by.is(
      'end_company_id',
      'Only feedback of this end company, by its `id`.',
      'indexed',
    ),
    execution_id: ENTRY.by.is('execution_id', 'Only feedback about this execution.', 'indexed'),
  },
})
