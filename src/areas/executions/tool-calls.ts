/** The tool calls of an execution, which the audit log keeps. */

import { scope } from '../../access/policies/policies.ts'
import { listOperation } from '../../schema/lists/list-operation.ts'
import { addField } from '../../schema/row-type.ts'
import { AuditEntryPage, auditLog, TOOL_CALLS, TOOL_CALLS_OF_EXECUTION } from '../audit-log/index.ts'
import { Execution, type ExecutionRow } from './execution.ts'
import { requireExecution } from './queries.ts'

listOperation(auditLog, 'execution_tool_calls', TOOL_CALLS, {
  type: AuditEntryPage,
  description:
    'Lists the tool calls of an execution, those of the last 30 days, in the order of the audit log. An execution ' +
    'of an agent that the caller does not see is answered as one that does not exist.',
  rest: { method: 'GET', path: '/executions/{execution_id}/tool-calls' },
  access: scope('audit_log:read'),
  errors: ['execution_not_found'],
  check: (ctx, { execution_id }) => requireExecution(ctx, String(execution_id)),
})

// Contract silent: a relation into another area needs that area's scope too.
addField(Execution, 'tool_calls', (t) =>
  t.field({
    type: AuditEntryPage,
    graph_only: true,
    access: scope('audit_log:read'),
    description: 'The tool calls of the execution, those of the last 30 days, in the order of the audit log.',
    ...TOOL_CALLS_OF_EXECUTION.below<ExecutionRow>('execution_id'),
  }),
)
