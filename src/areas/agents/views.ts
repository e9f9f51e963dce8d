/** Agents in the statements of other areas. */

const isOf = (row: string, column: string): string =>
  `a.tenant_id = ${row}.tenant_id and a.environment = ${row}.environment and a.id = ${row}.${column}`

/** Joins `agent a`, the agent of a row. */
export const joinAgent = (row: string): string => `join agent a on ${isOf(row, 'agent_id')}`

/** The name of the agent of a row. */
export const agentName = (row: string, column = 'agent_id'): string =>
  `(select a.name from agent a where ${isOf(row, column)})`

/** The agents whose ids a column of a row has, in its order: a list of `{id, name}`. One that is gone is left out. */
export const namedAgents = (row: string, column: string): string =>
  `coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name) order by n.place)
    from unnest(${row}.${column}) with ordinality as n (id, place)
    join agent a on a.tenant_id = ${row}.tenant_id and a.environment = ${row}.environment and a.id = n.id), '[]')`

/** SQL: true if an enabled policy acts when the agent of a row hands its work to people. */
export const escalates = (row: string): string => `exists (select from escalation_policy p
  where p.tenant_id = ${row}.tenant_id and p.environment = ${row}.environment and p.enabled
    and (p.is_default or p.agent_ids = '{}' or ${row}.agent_id = any(p.agent_ids))
    and p.triggers && array['AGENT_GAVE_UP', 'END_USER_ASKED_FOR_HUMAN']::escalation_trigger[])`

/** The users who created the agent or changed its configuration, by the SQL of its id. */
export const settersOf = (agent_id: string): string => `select a.created_by_user_id as user_id from agent a
  where a.tenant_id = $1 and a.environment = $2 and a.id = ${agent_id}
  union
  select unnest(v.changed_by_user_ids) from agent_revision v
  where v.tenant_id = $1 and v.environment = $2 and v.agent_id = ${agent_id}`

/** Columns of the rows `agent a` of the tenant that meet the condition. */
export const agentsWith = (columns: string, and = ''): string =>
  `select ${columns} from agent a where a.tenant_id = $1 and a.environment = $2${and}`
