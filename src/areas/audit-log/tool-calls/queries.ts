/** The SQL of tool calls. */

import {
  ofEveryAgent,
  ofVisibleAgents,
  restrictedUser,
  visibleAgent,
} from '../../../access/policies/visibility.ts'
import { callerOf } from '../../../access/viewer.ts'
import { db, ownKey } from '../../../db/db.ts'
import { descending } from '../../../db/query/keyset.ts'
import type { Condition } from '../../../db/query/list.ts'
import { projection } from '../../../db/query/projection.ts'
import { found } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { filtersOf } from '../../../schema/lists/column-filters.ts'
import { defineList, indexed, searchFor } from '../../../schema/lists/list.ts'
import { defineNestedList } from '../../../schema/lists/nested-list.ts'
import { CompanyLinkSystem } from '../../integrations/index.ts'
import { keptFrom, startOf } from '../rules.ts'
import type { AuditEntryRow } from './audit-entry.ts'

const by = filtersOf('AuditEntry', 'l')

const columns = projection('AuditEntry', 'l', { always: ['id'] })

const NEWEST_FIRST = [descending('occurred_at', 'timestamptz'), descending('sequence', 'int8')]

const SINCE_START = 'l.occurred_at >= $from::timestamptz'

const OF_VISIBLE_AGENTS = ofVisibleAgents('l.agent_id')
const OF_VISIBLE_AGENT = ofVisibleAgents('l.agent_id', '$agent_id::int')
const OF_EVERY_AGENT = ofEveryAgent('l.agent_id')

const FACETS = { outcome: 'l.outcome', access: 'l.access', supervised: 'l.supervised' }

/** An index has the rows that meet the condition, for each agent in the order of the list. */
const indexedByAgent =
  (text: string) =>
  (value: unknown): Condition => ({ text, values: [value], is_indexed_by_agent: true })

/** The tool calls of the agents that the caller sees, of the last 30 days. */
export const AUDIT_LOG = defineList<AuditEntryRow>()({
  name: 'audit_log',
  from: 'audit_entry l',
  columns,
  order: NEWEST_FIRST,
  facets: FACETS,
  facets_of_agents: { system: `coalesce(l.system, '')`, ...FACETS },
  parameters: {
    user: (ctx) => restrictedUser(callerOf(ctx)),
    agent_id: (_ctx, { agent_id }) => agent_id,
    from: ({ now }, { from }) => startOf('audit_log', from, now),
  },
  visible: (ctx, { agent_id, tool_name, acting_user_id }) => {
    if (restrictedUser(callerOf(ctx)) !== null) return agent_id == null ? OF_VISIBLE_AGENTS : OF_VISIBLE_AGENT
    return tool_name == null && acting_user_id == null ? null : OF_EVERY_AGENT
  },
  filters: {
    from: {
      type: 'DateTime',
      description:
        'Only calls of this instant or later. One more than 30 days ago is moved forward to then, with a warning.',
      where: SINCE_START,
      otherwise: SINCE_START,
    },
    to: by.before('occurred_at', 'calls'),
    agent_id: by.is('agent_id', 'Only calls of this agent, by its `id`.', 'indexed'),
    execution_id: by.is('execution_id', 'Only calls of this execution.', 'indexed'),
    tool_name: {
      type: 'String',
      min_length: 1,
      max_length: 120,
      description: 'Only calls of this tool, by its `name`.',
      where: indexedByAgent('l.tool_name = ?::text'),
    },
    system: {
      type: CompanyLinkSystem,
      description: 'Only calls of tools of this integration.',
      where: (system) => ({ ...indexed('l.system = ?::text')(system), facet: 'l.system = ?::text' }),
    },
    access: by.is('access', 'Only calls that needed this access.', 'facet'),
    outcome: by.isOneOf('outcome', 'Only calls with one of these outcomes', 'facet'),
    supervised: by.is('supervised', 'true: only calls of supervised runs. false: only the others.', 'facet'),
    entity_id: by.is('entity_id', 'Only calls about this ticket or time entry.', 'indexed'),
    acting_user_id: {
      type: 'ID',
      description: 'Only calls of executions that were started in the name of this user.',
      where: indexedByAgent('l.acting_user_id = ?::text'),
    },
    search: searchFor(
      'l.search_text',
      'Only calls with this in `entity_number`, `psa_company_name`, `result_summary` or `error_message`.',
    ),
  },
})

/** The filters of the audit log, without the arguments of its pages. */
export const AUDIT_FILTERS = (({ page_size: _size, cursor: _cursor, ...filters }) => filters)(AUDIT_LOG.args)

/** The tool calls of one execution, of the last 30 days. */
export const TOOL_CALLS = defineList<AuditEntryRow>()({
  name: 'execution_tool_calls',
  from: 'audit_entry l',
  where: SINCE_START,
  columns,
  order: NEWEST_FIRST,
  parameters: { from: ({ now }) => keptFrom('audit_log', now) },
  filters: {
    execution_id: {
      type: 'ID',
      required: true,
      description: 'The id of the execution.',
      where: 'l.execution_id = ?::text',
    },
  },
})

/** The tool calls of each execution of a list of executions. */
export const TOOL_CALLS_OF_EXECUTION = defineNestedList<AuditEntryRow>({
  name: 'Execution.tool_calls',
  from: 'audit_entry l',
  where: SINCE_START,
  columns,
  order: NEWEST_FIRST,
  parent: { column: 'l.execution_id', type: 'text' },
  parameters: { from: ({ now }) => keptFrom('audit_log', now) },
})

/** The entry; 404 if it is too old, or the caller does not see its agent. `query` is of the field that answers with it. */
export async function readEntry(ctx: Context, id: string, query: object): Promise<AuditEntryRow> {
  const where = {
    tenant_id_environment_id: ownKey(ctx, { id }),
    occurred_at: { gte: keptFrom('audit_log', ctx.now) },
    agent: visibleAgent(callerOf(ctx)),
  }
  const row: unknown = await db(ctx).auditEntry.findUnique({ ...query, where })
  return found(row as AuditEntryRow | null, 'audit_log_entry_not_found', id)
}
