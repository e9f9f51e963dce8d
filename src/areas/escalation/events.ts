/** The events of escalations. */
import {
  declareEvents,
  maybeText,
  maybeWhole,
  text,
  texts,
  whole,
  wholes,
  word,
} from '../../schema/events/declare.ts'
import { type Sight, THROUGH_AGENT } from '../../schema/events/sight.ts'
import type { EscalationRow } from './escalation-event.ts'
import { hasTold } from './told.ts'

/** Seen like the escalation: by everybody if it is about no agent, through the agent, and by who was told of it by name. */
const LIKE_THE_ESCALATION: Sight = {
  by_user: `(e.agent_id is null or ${THROUGH_AGENT.by_user} or ${hasTold('e.entity_id', '$user::text')})`,
}

const ESCALATION_EVENTS = declareEvents('escalation', {
  data: {
    event_id: text('The escalation.'),
    policy_id: whole('The policy that opened it.'),
    trigger: word('The cause.', [
      'AGENT_GAVE_UP',
      'EXECUTION_FAILED',
      'TIL_REQUEST_EXPIRED',
      'END_USER_ASKED_FOR_HUMAN',
      'NEGATIVE_FEEDBACK',
      'TICKET_STALLED',
    ]),
    status: word('The status of the escalation.', ['OPEN', 'ACKNOWLEDGED', 'RESOLVED']),
    current_step: whole('The last step that was taken; 0: none was.'),
    agent_id: maybeWhole('The agent whose work it is about. null: it is about a ticket alone.'),
    execution_id: maybeText('The execution that it is about. null: it is about none.'),
    entity_id: maybeText('The id of the ticket or time entry in the PSA. null: it is about none.'),
    entity_number: maybeText('The number that people know the ticket by. null: it is about none.'),
    acknowledged_by_name: maybeText('The name of who took it over. null: nobody has.'),
    comment: maybeText('The words of who resolved it. null: there are none.'),
    technician_ids: wholes('The technicians whom the step tells.'),
    channel_ids: texts('The channels that the step tells.'),
    webhook_endpoint_ids: texts(
      'The webhook endpoints that the step tells: they get the event, whatever their types are.',
    ),
  },
  seen: LIKE_THE_ESCALATION,
  about: ({ event_id, agent_id }) => ({ id: event_id, agent_id }),
  events: {
    opened: { severity: 'CRITICAL', description: 'An escalation began.' },
    notified: 'A step of an escalation was taken: its targets are told.',
    acknowledged: 'A person took an escalation over.',
    resolved: 'An escalation was resolved.',
  },
})

/** The targets of a step, by their ids. */
export interface Told {
  technician_ids: readonly number[]
  channel_ids: readonly string[]
  webhook_endpoint_ids: readonly string[]
}

const NOBODY: Told = { technician_ids: [], channel_ids: [], webhook_endpoint_ids: [] }

/** The columns of an escalation that its events tell. */
export type ToldOf = Pick<
  EscalationRow,
  | 'id'
  | 'policy_id'
  | 'trigger'
  | 'status'
  | 'current_step'
  | 'agent_id'
  | 'execution_id'
  | 'entity_id'
  | 'entity_number'
  | 'acknowledged_by_name'
  | 'comment'
>

/** The event of an escalation that has come so far. */
export const escalationEvent = (
  verb: keyof typeof ESCALATION_EVENTS,
  escalation: ToldOf,
  told: Told = NOBODY,
) =>
  ESCALATION_EVENTS[verb]({
    event_id: escalation.id,
    policy_id: escalation.policy_id,
    trigger: escalation.trigger,
    status: escalation.status,
    current_step: escalation.current_step,
    agent_id: escalation.agent_id,
    execution_id: escalation.execution_id,
    entity_id: escalation.entity_id,
    entity_number: escalation.entity_number,
    acknowledged_by_name: escalation.acknowledged_by_name,
    comment: escalation.comment,
    ...told,
  })
