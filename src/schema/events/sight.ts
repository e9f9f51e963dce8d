/** The callers who see an event: those who see the thing that it is about, as they see it when they ask. */
import { visibleTo } from '../../access/policies/visibility.ts'

/** Who sees the events of a type. */
export interface Sight {
  /**
   * SQL: true if the restricted user, the parameter `$user`, sees the event, a row `e` of `live_event`. Every caller who sees
   * every agent sees it.
   */
  by_user: string
  /** Only an ADMIN or OWNER sees it, and an API key without an acting user whose creator is one of these now. */
  by_admins_alone?: true
}

/** Seen by everybody of the tenant. */
export const EVERYBODY: Sight = { by_user: 'true' }

/** Seen by administrators. */
export const ADMINS: Sight = { by_user: 'false', by_admins_alone: true }

/** Seen by whoever sees the event's agent. */
export const THROUGH_AGENT: Sight = {
  by_user: `exists (select from agent a where a.tenant_id = e.tenant_id and a.environment = e.environment
    and a.id = e.agent_id and ${visibleTo('$user::text')})`,
}
