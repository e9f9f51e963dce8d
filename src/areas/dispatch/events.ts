/** The events of dispatch. */
import { declareEvents, maybeText, maybeWhole, text, word } from '../../schema/events/declare.ts'
import { THROUGH_AGENT } from '../../schema/events/sight.ts'
import type { DecisionRow } from './decision.ts'

/** The statuses that events tell. */
const STATUSES = ['SUGGESTED', 'APPLIED', 'OVERRIDDEN', 'NONE_FITS', 'EXPIRED', 'FAILED'] as const

const DISPATCH_EVENTS = declareEvents('dispatch', {
  data: {
    decision_id: text('The decision.'),
    ticket_id: text('The id of the ticket in the PSA.'),
    ticket_number: maybeText('The number that people know the ticket by. null: the PSA has none.'),
    status: word('The status of the decision.', STATUSES),
    technician_id: maybeWhole('The technician who is chosen. null: nobody fits.'),
    agent_id: maybeWhole('The agent that handed the ticket over. null: none did.'),
    execution_id: maybeText('The execution that handed the ticket over. null: none did.'),
  },
  // Seen as the decision is: through its agent, and by everybody if no agent handed the ticket over.
  seen: { by_user: `(e.agent_id is null or ${THROUGH_AGENT.by_user})` },
  about: ({ decision_id, agent_id }) => ({ id: decision_id, agent_id }),
  events: {
    suggested: 'A technician was suggested for a ticket.',
    applied: 'A ticket was given to the suggested technician.',
    overridden: 'A person gave a ticket to another technician than the suggested one.',
    closed:
      'A suggestion ended before it was applied: its time was over, somebody was given the ticket meanwhile, or the PSA refused ' +
      'the technician.',
    none_fits: { severity: 'WARNING', description: 'No technician fits a ticket.' },
  },
})

/** The columns of a decision that its events tell. */
export type ToldOf = Pick<
  DecisionRow,
  'id' | 'ticket_id' | 'ticket_number' | 'status' | 'chosen_technician_id' | 'agent_id' | 'execution_id'
>

const dataOf = (decision: ToldOf) => ({
  decision_id: decision.id,
  ticket_id: decision.ticket_id,
  ticket_number: decision.ticket_number,
  status: decision.status,
  technician_id: decision.chosen_technician_id,
  agent_id: decision.agent_id,
  execution_id: decision.execution_id,
})

/** The event of a decision that has come so far. */
export const dispatchEvent = (verb: keyof typeof DISPATCH_EVENTS, decision: ToldOf) =>
  DISPATCH_EVENTS[verb](dataOf(decision))
