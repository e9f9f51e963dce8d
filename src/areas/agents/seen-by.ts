/** The users who see agents, for the live updates of what belongs to agents. */

/** Rows `{entity_id, value}`: the users who see the agent of each row of the table whose id is among `$3::text[]`. */
export const seenThroughAgent = (table: string, id: string): string =>
  `select t.${id} as entity_id, a.created_by_user_id as value from ${table} t
   join agent a on a.tenant_id = t.tenant_id and a.environment = t.environment and a.id = t.agent_id
   where t.tenant_id = $1 and t.environment = $2 and t.${id} in (select unnest($3::text[]))
   union all
   select t.${id}, s.user_id from ${table} t
   join agent_share s on s.tenant_id = t.tenant_id and s.environment = t.environment and s.agent_id = t.agent_id
   where t.tenant_id = $1 and t.environment = $2 and t.${id} in (select unnest($3::text[]))`
