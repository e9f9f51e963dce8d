/** The callers who see an event: those who see the thing that it is about, as they see it when they ask. */
import { SEEN_AGENTS } from '../../access/policies/visibility.ts'

/** The callers who see the events of a type. */
export interface Sight {
  /**
   * SQL: true if the restricted user, the parameter `$user`, sees the event, a row `e` of `live_event` of the tenant `$1` and
   * the environment `$2`. Every caller who sees every agent sees it.
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
  by_user: `e.agent_id = any(array(${SEEN_AGENTS}))`,
}
