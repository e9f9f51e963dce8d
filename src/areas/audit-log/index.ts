/** The exports of the area for other areas. */
export { area as auditLog } from './area.ts'
export { AuditEntryPage } from './audit-entry.ts'
export { TOOL_CALLS, TOOL_CALLS_OF_EXECUTION } from './queries.ts'
export { recordToolCall, type ToolCall } from './record.ts'
export { ToolAccess } from './tool-access.ts'
