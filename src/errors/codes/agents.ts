import { AGENT_STATE, INVALID_FIELDS, SUBSCRIPTION_STATE, UNKNOWN_ID } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const AGENTS = {
  agent_not_found: noSuch('agent'),
  agent_revision_not_found: {
    status: 404,
    message: 'The agent has no such revision.',
    fix: 'Use a revision from GET /public-api/agents/{agent_id}/revisions.',
    details: UNKNOWN_ID,
  },
  validation_error: {
    status: 400,
    message: 'The agent cannot be stored like this.',
    fix: 'Correct the fields named in details.field_errors; GET /public-api/schemas/agents has the rule of each code.',
    details: INVALID_FIELDS,
  },
  agent_not_active: {
    status: 409,
    message: 'The state of the agent does not allow this.',
    fix: 'See details.current_state. An ARCHIVED agent stays as it is; activate one that is a DRAFT or PAUSED.',
    details: AGENT_STATE,
  },
  agent_is_conversational: {
    status: 409,
    message: 'A CONVERSATIONAL agent answers in chats, and has no executions.',
    fix: 'Name an agent of another kind.',
    details: AGENT_STATE,
  },
  agent_not_conversational: {
    status: 409,
    message: 'Only a CONVERSATIONAL agent answers in chats.',
    fix: 'Name an agent whose autonomy_type is CONVERSATIONAL.',
    details: AGENT_STATE,
  },
  model_not_configured: {
    status: 409,
    message: 'The agent thinks with a language model, and the service has none.',
    fix: 'Use a CHAINED_ACTIONS agent, or ask the operator of the service to set MODEL_BASE_URL and MODEL_NAME.',
  },
  agent_not_triggered: {
    status: 409,
    message: 'The agent is not triggered by changes in the PSA.',
    fix: 'Use an agent whose trigger_type is TRIGGERED.',
    details: AGENT_STATE,
  },
  entity_required: {
    status: 422,
    message: 'The operation is about a ticket, a time entry or an execution, and the request names none.',
    fix: 'Send the field that details.field_errors names.',
    details: INVALID_FIELDS,
  },
  subscription_inactive: {
    status: 409,
    message: 'Agents do not run while the subscription is not active.',
    fix: 'Resume or renew the subscription; GET /public-api/billing/subscription shows it.',
    details: SUBSCRIPTION_STATE,
  },
  credits_exhausted: {
    status: 409,
    message: 'The credits of the billing period are used up.',
    fix: 'Wait for the next billing period at details.current_period_end, or extend the plan.',
    details: SUBSCRIPTION_STATE,
  },
} as const satisfies ErrorTable
