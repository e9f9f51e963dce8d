/** What rows of `agent a` a caller sees; `parameter` holds the user who is restricted, or null. */
export const visible = (parameter: string): string =>
  `(${parameter}::text is null or a.created_by_user_id = ${parameter} or exists (
     select from agent_share s where s.tenant_id = a.tenant_id and s.environment = a.environment
       and s.agent_id = a.id and s.user_id = ${parameter}))`
