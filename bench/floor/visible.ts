/** The agents that a restricted user sees; `parameter` holds that user's id. */
export const visibleTo = (parameter: string): string =>
  `(a.created_by_user_id = ${parameter} or exists (
     select from agent_share s where s.tenant_id = a.tenant_id and s.environment = a.environment
       and s.agent_id = a.id and s.user_id = ${parameter}))`
