/** The tool calls of an execution, which the audit log keeps. */

import { scope } from '../../access/policies/policies.ts'
import { addPages, listOperation } from '../../schema/lists/list-operation.ts'
import { AuditEntry, auditLog, TOOL_CALLS, TOOL_CALLS_OF_EXECUTION } from '../audit-log/index.ts'
import { Execution } from './execution.ts'
import { requireExecution } from './queries.ts'

listOperation(auditLog, 'execution_tool_calls', TOOL_CALLS, {
  of: AuditEntry,
  description:
    'Lists the tool calls of an execution, those of the last 30 days, in the order of the audit log. An execution ' +
    'of an agent that the caller does not see is answered as one that does not exist.',
  rest: { method: 'GET', path: '/executions/{execution_id}/tool-calls' },
  access: scope('audit_log:read'),
  errors: ['execution_not_found'],
  check: (ctx, { execution_id }) => requireExecution(ctx, String(execution_id)),
})

// Contract silent: a relation into another area needs that area's scope too.
addPages(Execution, 'tool_calls', TOOL_CALLS_OF_EXECUTION, 'execution_id', {
  of: AuditEntry,
  access: scope('audit_log:read'),
  description: 'The tool calls of the execution, those of the last 30 days, in the order of the audit log.',
})
