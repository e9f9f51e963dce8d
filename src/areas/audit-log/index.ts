/** The exports of the area for other areas. */
export { area as auditLog } from './area.ts'
export { AuditEntry } from './tool-calls/audit-entry.ts'
export { TOOL_CALLS, TOOL_CALLS_OF_EXECUTION } from './tool-calls/queries.ts'
export { recordToolCall, type ToolCall } from './tool-calls/record.ts'
export { ToolAccess } from './tool-calls/tool-access.ts'
export { isInAuditLog } from './views.ts'
