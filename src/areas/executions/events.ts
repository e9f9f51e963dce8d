/**
 * The events of executions. Triggers of the table raise them, in the row that tells subscribers of the change: no change
 * of a status, one by one or many at once, leaves its event out, and none costs a statement.
 */
import { declareEvents, maybeText, text, truth, whole } from '../../schema/events/declare.ts'
import { THROUGH_AGENT } from '../../schema/events/sight.ts'

declareEvents('execution', {
  data: {
    execution_id: text('The execution.'),
    agent_id: whole('The agent.'),
    status: text('The status to which the execution came.'),
    resolution: text('NONE, PARTIAL or FULL.'),
    trigger: text('The trigger that started it.'),
    supervised: truth('True for a supervised run.'),
    entity_type: text('TICKET, TIME_ENTRY or NONE.'),
    entity_id: maybeText('The id of the ticket or time entry in the PSA.'),
    entity_number: maybeText('The number that people know the ticket by.'),
    psa_company_id: maybeText('The id of the customer in the PSA.'),
    failure_kind: maybeText('The kind of the failure of a failed execution.'),
    error_code: maybeText('The code of the failure of a failed execution.'),
  },
  seen: THROUGH_AGENT,
  about: ({ execution_id, agent_id }) => ({ id: execution_id, agent_id }),
  events: {
    created: 'An execution was accepted.',
    started: 'An execution began to run.',
    waiting: 'An execution waits for an approval or for an answer.',
    completed: 'An execution came to its end.',
    failed: {
      severity: 'CRITICAL',
      description: 'An execution failed or took too long: FAILED or TIMED_OUT.',
    },
    cancelled: 'An execution was cancelled or left out: CANCELLED or SKIPPED.',
  },
})
