/** The audit log in the statements of other areas. */

/** True if an entry of the audit log names the execution. */
export const isInAuditLog = (execution: string): string => `exists (select from audit_entry l
  where l.tenant_id = ${execution}.tenant_id and l.environment = ${execution}.environment
    and l.execution_id = ${execution}.execution_id)`
