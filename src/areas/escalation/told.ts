/** The people whom an escalation has told by name. */
import { technicianOfUser } from '../../access/policies/visibility.ts'
import { endpointsOf } from '../webhooks/index.ts'

/** SQL: true if the row `n` is of the technician who the user is. */
export const tellsTechnician = (user: string): string =>
  `n.technician_id = ${technicianOfUser(user)} and (n.at is not null or n.began_at is not null)`

/** SQL: true if the row `n` is of a webhook endpoint that the user owns. */
export const tellsEndpoint = (user: string): string =>
  `n.target_type = 'WEBHOOK_ENDPOINT' and n.target_id in (${endpointsOf(user)})`

/** SQL: true if the escalation has told the user, by its id. */
export const hasTold = (event_id: string, user: string): string => `exists (
  select from escalation_notification n where n.tenant_id = $1 and n.environment = $2 and n.event_id = ${event_id}
    and (${tellsTechnician(user)} or ${tellsEndpoint(user)}))`
