/** The events of scheduled work. */
import { declareEvents, maybeText, text, whole, word } from '../../schema/events/declare.ts'
import { THROUGH_AGENT } from '../../schema/events/sight.ts'
import type { ScheduledWorkRow } from './scheduled-work.ts'

const SCHEDULED_WORK_EVENTS = declareEvents('scheduled_work', {
  data: {
    entry_id: whole('The entry.'),
    agent_id: whole('The agent.'),
    ticket_id: text('The id of the ticket in the PSA.'),
    ticket_number: maybeText('The number of the ticket.'),
    scheduled_for: text('The time from which the agent may run.'),
    status: word('The status of the entry.', ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED']),
    execution_id: maybeText(
      'The execution that the entry started, or that was live on the ticket. null: none.',
    ),
    execution_message: maybeText('The result of the start. null: the agent was not started.'),
    comment: maybeText('The reason that a person gave for the cancellation. null: none.'),
  },
  seen: THROUGH_AGENT,
  about: ({ entry_id, agent_id }) => ({ id: entry_id, agent_id }),
  events: {
    created: 'A run of an agent was queued for a time.',
    completed: 'An entry of scheduled work has its execution.',
    failed: {
      severity: 'WARNING',
      description: 'The agent of an entry of scheduled work could not be started.',
    },
    cancelled: 'An entry of scheduled work was cancelled.',
  },
})

type Verb = keyof typeof SCHEDULED_WORK_EVENTS

/** The event of an entry that has come to its status. */
export const entryEvent = (verb: Verb, entry: ScheduledWorkRow) =>
  SCHEDULED_WORK_EVENTS[verb]({
    entry_id: entry.id,
    agent_id: entry.workflow_id,
    ticket_id: entry.ticket_id,
    ticket_number: entry.ticket_number,
    scheduled_for: entry.scheduled_for.toISOString(),
    status: entry.status,
    execution_id: entry.execution_id,
    execution_message: entry.execution_message,
    comment: entry.cancel_reason,
  })

/** SQL of the data of an event about a row `w`. */
export const ENTRY_DATA = {
  entry_id: 'w.id',
  agent_id: 'w.workflow_id',
  ticket_id: 'w.ticket_id',
  ticket_number: 'w.ticket_number',
  scheduled_for: `to_char(w.scheduled_for at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  status: 'w.status',
  execution_id: 'w.execution_id',
  execution_message: 'w.execution_message',
  comment: 'w.cancel_reason',
}
