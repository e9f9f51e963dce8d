/** An entry of scheduled work, as it is stored and as callers see it. */

import { scope } from '../../access/policies/policies.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'

/** An entry with the name of its agent. */
export interface ScheduledWorkRow extends Row<'ScheduledWork'> {
  workflow_name?: string
}

/** Workers change an entry, and users the name of its agent, without a new revision. */
export const entryEtag = ({ revision, status, attempt, ...entry }: ScheduledWorkRow): string =>
  etagOf(revision, [
    status,
    attempt,
    entry.executed_at,
    entry.execution_id,
    entry.execution_message,
    entry.execution_temporal_run_id,
    entry.workflow_name,
  ])

/** The columns that the entity tag is made of. */
export const TAGGED = [
  'status',
  'attempt',
  'executed_at',
  'execution_id',
  'execution_message',
  'execution_temporal_run_id',
  'workflow_name',
] as const

const from = madeOf<ScheduledWorkRow>()

export const ScheduledWork = rowType('ScheduledWork', {
  fields: (t) => ({
    ...t.columns('id', 'status', 'scheduled_for', 'created_at', 'updated_at', 'executed_at'),
    ...t.columns('created_by'),
    // Contract silent: the client of the service is the MSP, as in `human_friendly_client_name`.
    client_id: t.exposeID('tenant_id', { description: 'The id of the tenant.' }),
    ...t.columns('ticket_id', 'ticket_number', 'workflow_id'),
    workflow_name: t.string({ description: 'The name that the agent has now.', ...from('workflow_name') }),
    ...t.columns('additional_custom_instructions', 'execution_message', 'execution_temporal_run_id'),
    ...t.columns('execution_id', 'attempt', 'cancel_reason', 'revision'),
    agent: t.relation('agent', {
      graph_only: true,
      access: scope('agents:read'),
      description: 'The agent.',
      ...loadedBy<ScheduledWorkRow>()(['workflow_id'], ({ workflow_id: id }, ctx, info) =>
        agentOf(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
  }),
})
