/** Links that a person should check, in the statements of other areas. */

/** SQL: true if the system has links in the tenant of the row that a person should check. */
export const hasReview = (row: string, system: string): string => `exists (select from company_link l
  where l.tenant_id = ${row}.tenant_id and l.environment = ${row}.environment and l.system = ${system}
    and l.mapped and l.needs_review)`
