/** Skills in the statements of other areas. */

/** The ACTIVE skills of the agent, by the SQL of its id: JSON with a list of `PinnedSkill`. */
export const skillsOf = (agent_id: string): string => `coalesce((
  select jsonb_agg(jsonb_build_object('id', s.id, 'slug', s.slug, 'version', s.version,
    'description', s.description, 'allowed_tools', s.allowed_tools) order by s.slug)
  from skill s
  where s.tenant_id = $1 and s.environment = $2 and s.status = 'ACTIVE' and ${agent_id} = any(s.assigned_agent_ids)
), '[]')`
