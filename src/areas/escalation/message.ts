/** The words by which people are told of an escalation. */
import type { EscalationRow } from './escalation-event.ts'
import type { Trigger } from './rules.ts'

/** The causes, each in words. */
export const CAUSES: Readonly<Record<Trigger, string>> = {
  AGENT_GAVE_UP: 'An agent cannot go on',
  EXECUTION_FAILED: 'An execution failed',
  TIL_REQUEST_EXPIRED: 'A request to technicians expired',
  END_USER_ASKED_FOR_HUMAN: 'An end user asks for a person',
  NEGATIVE_FEEDBACK: 'An end user gave a bad rating',
  TICKET_STALLED: 'Nobody has touched a ticket for long',
}

export interface Told
  extends Pick<
    EscalationRow,
    'id' | 'policy_name' | 'trigger' | 'reason' | 'execution_id' | 'entity_number' | 'created_at'
  > {
  agent_name: string | null
}

/** The subject in a line, and the text. */
export function messageOf(told: Told): { subject: string; text: string } {
  const { id, trigger, entity_number, agent_name, reason, execution_id, policy_name, created_at } = told
  const of_ticket = entity_number === null ? '' : ` (ticket ${entity_number})`
  const lines = [
    `${CAUSES[trigger]}.`,
    '',
    ...(entity_number === null ? [] : [`Ticket: ${entity_number}`]),
    ...(agent_name === null ? [] : [`Agent: ${agent_name}`]),
    ...(execution_id === null ? [] : [`Execution: ${execution_id}`]),
    ...(reason === null ? [] : [`Reason: ${reason}`]),
    `Policy: ${policy_name}`,
    `Since: ${created_at.toISOString()}`,
    '',
    `Take it over: acknowledge the escalation ${id}. The first who does has it.`,
  ]
  return { subject: `${CAUSES[trigger]}${of_ticket}`.replaceAll(/\s+/g, ' '), text: lines.join('\n') }
}
