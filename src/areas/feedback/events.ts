/** The events of feedback. */
import type { RaisedEvent } from '../../db/live/raise.ts'
import { declareEvents, maybeText, maybeWhole, text, word } from '../../schema/events/declare.ts'
import { THROUGH_AGENT } from '../../schema/events/sight.ts'
import type { EntryRow } from './entry.ts'

const FEEDBACK_EVENTS = declareEvents('feedback', {
  data: {
    feedback_id: text('The feedback.'),
    rating: word('The rating.', ['POSITIVE', 'NEUTRAL', 'NEGATIVE']),
    execution_id: maybeText('The execution that it is about. null: it is about a ticket alone.'),
    agent_id: maybeWhole('The agent whose work it is about. null: it is about a ticket alone.'),
    ticket_id: maybeText('The id of the ticket in the PSA. null: there is no ticket.'),
    ticket_number: maybeText('The number that people know the ticket by. null: there is no ticket.'),
    end_company_id: maybeText('The end company of the ticket. null: it is not known.'),
  },
  // Seen as the feedback is: through its agent, and by everybody if it is about no agent.
  seen: { by_user: `(e.agent_id is null or ${THROUGH_AGENT.by_user})` },
  about: ({ feedback_id, agent_id }) => ({ id: feedback_id, agent_id }),
  events: { submitted: 'An end user gave feedback, or another rating than before.' },
})

/** The event that feedback was given. */
export function submitted(entry: EntryRow): RaisedEvent[] {
  const { id: feedback_id, rating, execution_id, agent_id, ticket_id, ticket_number, end_company_id } = entry
  if (rating === null) return []
  const about = { execution_id, agent_id, ticket_id, ticket_number, end_company_id }
  return [FEEDBACK_EVENTS.submitted({ feedback_id, rating, ...about })]
}
