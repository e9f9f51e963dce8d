/**
 * The callers who see an agent, who change it and who share it. A caller who sees an agent sees everything of its executions
 * too, and may run it if the scopes allow. A technician who is named on a request reads the request, and neither its
 * execution nor its agent without seeing the agent.
 */
import type { Fragment } from '../../db/query/fragment.ts'
import type { Condition } from '../../db/query/list.ts'
import type { Viewer } from '../viewer.ts'
import { isAtLeast } from './roles.ts'

/** The id of a restricted user, who sees only own and shared agents; null for a caller who sees every agent. */
export const restrictedUser = ({ person }: Viewer): string | null =>
  person && !isAtLeast(person.role, 'ADMIN') ? person.id : null

const createdOrShared = (user: string, share = ''): string => `(a.created_by_user_id = ${user} or exists (
  select from agent_share s where s.tenant_id = a.tenant_id and s.environment = a.environment
    and s.agent_id = a.id and s.user_id = ${user}${share}))`

/** The SQL condition on rows of `agent a` that the user may see: created by them, or shared with them. */
export const visibleTo = (user: string): string => createdOrShared(user)

/** The condition of Prisma on agents that the viewer may see, as `visibleTo` has it. */
export function visibleAgent(viewer: Viewer) {
  const user_id = restrictedUser(viewer)
  return user_id === null ? {} : { OR: [{ created_by_user_id: user_id }, { shares: { some: { user_id } } }] }
}

/**
 * SQL: true if the caller is an administrator now: the user `$person`, or the creator of the key `$key`, if that acts for
 * nobody.
 */
export const IS_ADMIN = `exists (select from tenant_user u where u.tenant_id = $1 and u.environment = $2
  and u.role in ('OWNER', 'ADMIN') and u.id = coalesce($person::text, (select k.created_by_user_id from api_key k
    where k.tenant_id = $1 and k.environment = $2 and k.id = $key::text)))`

/** The SQL condition on rows of `agent a` that the user may change: created by them, or shared with them to edit. */
export const editableBy = (user: string): string => createdOrShared(user, ' and s.can_edit')

const VISIBLE_TO_VALUE = visibleTo('?::text')

/** The SQL condition on rows of `agent a` that the viewer may see; null: every row may be seen. */
export function visibleAgents(viewer: Viewer): Fragment | null {
  const user = restrictedUser(viewer)
  if (user === null) return null
  return { text: VISIBLE_TO_VALUE, values: [user, user] }
}

/** `and`: the column names an agent that the viewer may see. A viewer who sees every agent has no condition. */
export function andOfVisibleAgents(viewer: Viewer, column: string): Fragment {
  const visible = visibleAgents(viewer)
  if (!visible) return { text: '' }
  const agents = `select a.id from agent a where a.tenant_id = $1 and a.environment = $2 and ${visible.text}`
  return { ...visible, text: ` and ${column} in (${agents})` }
}

/** The ids of the agents that the parameter `$user` may see; null sees every agent. */
export const SEEN_AGENTS = `select a.id from agent a
  where a.tenant_id = $1 and a.environment = $2 and ($user::text is null or ${visibleTo('$user::text')})`

/** True if the parameter `$user` may see the agent of the row; null sees every agent. */
export const seesAgentOf = (row: string): string => `($user::text is null or exists (select from agent a
  where a.tenant_id = ${row}.tenant_id and a.environment = ${row}.environment and a.id = ${row}.agent_id
    and ${visibleTo('$user::text')}))`

/** One row with `may_edit`: true if the user `$3` may change the agent `$4`. */
export const MAY_EDIT_AGENT = `select u.role in ('OWNER', 'ADMIN') or exists (
     select from agent a where a.tenant_id = $1 and a.environment = $2 and a.id = $4::int and ${editableBy('$3::text')}
   ) as may_edit
   from tenant_user u where u.tenant_id = $1 and u.environment = $2 and u.id = $3`

/**
 * The condition that rows belong to agents that the parameter `$user` may see, by the column that names the agent: one
 * range of an index for each agent, or for the agent `one` alone.
 */
export function ofVisibleAgents(column: string, one?: string): Condition {
  const agents = `select a.id from agent a
    where a.tenant_id = $1 and a.environment = $2 and ${visibleTo('$user::text')}`
  const rows = `(${agents}${one === undefined ? '' : ` and a.id = ${one}`}) a`
  const ranges = { rows, alias: 'a', columns: ['id'], on: `${column} = a.id` }
  return { text: `${column} = any(array(${agents}))`, ranges }
}

/** Every row, in one range of an index for each agent of the tenant. */
export const ofEveryAgent = (column: string): Condition => ({
  text: 'true',
  ranges: {
    rows: '(select a.id from agent a where a.tenant_id = $1 and a.environment = $2) a',
    alias: 'a',
    columns: ['id'],
    on: `${column} = a.id`,
  },
})

/** The condition that rows belong to the agent, by the column that names it. */
export const ofAgent = (column: string, agent_id: string): Condition => ({
  text: `${column} = ${agent_id}`,
  ranges: {
    rows: `(select ${agent_id} as id) a`,
    alias: 'a',
    columns: ['id'],
    on: `${column} = a.id`,
    is_one: true,
  },
})

/** True for the callers who decide with whom an agent is shared: its creator, and callers who see every agent. */
export function maySetShares(viewer: Viewer, agent: { created_by_user_id: string | null }): boolean {
  const user = restrictedUser(viewer)
  return user === null || user === agent.created_by_user_id
}

/** The id of the technician who the user is. */
export const technicianOfUser = (user: string): string => `(select u.technician_profile_id from tenant_user u
  where u.tenant_id = $1 and u.environment = $2 and u.id = ${user})`

/**
 * The SQL condition on rows of `til_request r` that they name the technician who the user is. The names of a row are
 * looked at, and never all rows that name the technician.
 */
export const isNamedOnRequest = (user: string): string => `coalesce(${technicianOfUser(user)} = any(array(
  select n.technician_id from til_request_technician n where n.tenant_id = r.tenant_id
    and n.environment = r.environment and n.til_request_id = r.id)), false)`

/** Rows `{entity_id, value}`: the users named on the requests whose ids are among `$3::text[]`. */
export const NAMED_ON_REQUESTS = `select n.til_request_id as entity_id, u.id as value from til_request_technician n
   join tenant_user u on u.tenant_id = n.tenant_id and u.environment = n.environment
     and u.technician_profile_id = n.technician_id
   where n.tenant_id = $1 and n.environment = $2 and n.til_request_id in (select unnest($3::text[]))`
