/** Visibility of agents. Whoever sees an agent sees its executions too. */
import type { Fragment } from '../db/fragment.ts'
import { isAtLeast } from './roles.ts'
import type { Viewer } from './viewer.ts'

/** The id of a restricted user, who sees only own and shared agents; null for a caller who sees every agent. */
export const restrictedUser = ({ person }: Viewer): string | null =>
  person && !isAtLeast(person.role, 'ADMIN') ? person.id : null

/** The SQL condition on rows of `agent a` that the user may see: created by them, or shared with them. */
export const visibleTo = (user: string): string => `(a.created_by_user_id = ${user} or exists (
  select from agent_share s where s.tenant_id = a.tenant_id and s.environment = a.environment
    and s.agent_id = a.id and s.user_id = ${user}))`

const VISIBLE_TO_VALUE = visibleTo('?::text')

/** The SQL condition on rows of `agent a` that the viewer may see; null: every row may be seen. */
export function visibleAgents(viewer: Viewer): Fragment | null {
  const user = restrictedUser(viewer)
  if (user === null) return null
  return { text: VISIBLE_TO_VALUE, values: [user, user] }
}
