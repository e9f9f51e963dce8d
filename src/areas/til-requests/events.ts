/** The events of requests to technicians. Triggers of the table raise them, as those of executions are raised. */
import { isNamedOnRequest } from '../../access/policies/visibility.ts'
import { declareEvents, maybeText, maybeWhole, text, wholes } from '../../schema/events/declare.ts'
import { type Sight, THROUGH_AGENT } from '../../schema/events/sight.ts'

/** Seen by whoever reads the request: through its agent, as a technician who is named on it, or as the user whose call waits. */
const LIKE_THE_REQUEST: Sight = {
  by_user: `(${THROUGH_AGENT.by_user} or exists (select from til_request r
    where r.tenant_id = $1 and r.environment = $2 and r.id = e.entity_id
      and (${isNamedOnRequest('$user::text')}
        or r.agent_id is null and r.requested_by_type = 'USER' and r.requested_by_id = $user::text)))`,
}

declareEvents('til_request', {
  data: {
    til_request_id: text('The request.'),
    kind: text('PLAN, WRITE, QUESTION or API_REQUEST.'),
    status: text('The status to which the request came.'),
    agent_id: maybeWhole('The agent that asks. null: a caller of the API asks.'),
    execution_id: maybeText('The execution that raised it.'),
    tool_name: maybeText('The tool, or the operation of the API.'),
    risk: text('The harm that a wrong decision can do.'),
    entity_id: maybeText('The id of the ticket or time entry in the PSA.'),
    entity_number: maybeText('The number that people know the ticket by.'),
    expires_at: text('When it expires if no technician decides.'),
    decided_by_name: maybeText('The name of who decided.'),
    reason_code: maybeText('The reason for a rejection.'),
    comment: maybeText('The comment of the technician who decided.'),
    technician_ids: wholes('The technicians who may decide, by their profile ids.'),
  },
  seen: LIKE_THE_REQUEST,
  about: ({ til_request_id, agent_id }) => ({ id: til_request_id, agent_id }),
  events: {
    created: 'A technician is asked to decide.',
    reassigned: 'Other technicians are asked to decide.',
    approved: 'A request was approved.',
    rejected: 'A request was rejected.',
    answered: 'A question was answered.',
    expired: { severity: 'WARNING', description: 'A request was not decided in time.' },
    cancelled: 'A request is no longer needed: CANCELLED or SUPERSEDED.',
  },
})
