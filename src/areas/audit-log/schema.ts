import { scope } from '../../access/policies/policies.ts'
import { listOperation } from '../../schema/lists/list-operation.ts'
import { area } from './area.ts'
import { AuditEntry } from './tool-calls/audit-entry.ts'
import { AUDIT_LOG, readEntry } from './tool-calls/queries.ts'
import './activity/activity.ts'
import './tool-calls/export.ts'
import './tool-calls/summary.ts'
import './chain/verify.ts'
import { checkLogWindow } from './window.ts'

listOperation(area, 'audit_log', AUDIT_LOG, {
  of: AuditEntry,
  description:
    'Lists the tool calls of the last 30 days that agents made, of the agents that the caller sees. The newest are ' +
    'first, then those with the highest `sequence`.',
  rest: { method: 'GET', path: '/audit-log' },
  access: scope('audit_log:read'),
  check: (ctx, args) => checkLogWindow(ctx, 'audit_log', args),
})

area.query('audit_log_entry', (t) =>
  t.prismaField({
    type: AuditEntry,
    description:
      'Gets a tool call of an agent from the audit log. One of an agent that the caller does not see, and one of more than 30 days ago, is answered ' +
      'as one that does not exist.',
    rest: { method: 'GET', path: '/audit-log/{entry_id}' },
    access: scope('audit_log:read'),
    errors: ['audit_log_entry_not_found'],
    args: { entry_id: t.arg({ type: 'ID', required: true, description: 'The `id` of the entry.' }) },
    resolve: (query, _root, { entry_id }, ctx) => readEntry(ctx, entry_id, query),
  }),
)
