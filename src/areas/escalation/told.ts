/** The people whom an escalation has told by name. */
import { technicianOfUser } from '../../access/policies/visibility.ts'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
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

interface ToldInInbox {
  event_id: string
  step: number
  technician_id: number
}

const IN_INBOX = scoped(
  'escalation.told_in_inbox',
  `select n.event_id, n.step, n.technician_id from escalation_notification n
   where n.tenant_id = $1 and n.environment = $2 and n.event_id = any($3::text[]) and n.via = 'INBOX'
     and n.technician_id is not null`,
)

/** The technicians whom steps of these escalations told in their inbox. */
export const toldInInbox = (ctx: DatabaseContext, ids: readonly string[]): Promise<ToldInInbox[]> =>
  sql<ToldInInbox>(ctx, IN_INBOX, [ids])

interface Claimant {
  id: string
  acknowledged_by_id: string | null
}

const CLAIMANTS = scoped(
  'escalation.claimants',
  `select v.id, v.acknowledged_by_id from escalation_event v
   where v.tenant_id = $1 and v.environment = $2 and v.id = any($3::text[])`,
)

/** The people who have taken these escalations over. */
export const claimants = (ctx: DatabaseContext, ids: readonly string[]): Promise<Claimant[]> =>
  sql<Claimant>(ctx, CLAIMANTS, [ids])
