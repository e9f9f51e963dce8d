/** An entry of scheduled work, as it is stored and as callers see it. */

import { scope } from '../../access/policies/policies.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'

/** An entry with the name of its agent. */
export interface ScheduledWorkRow extends Row<'ScheduledWork'> {
  workflow_name?: string
}

export const ScheduledWorkStatus = enumFrom('ScheduledWorkStatus')

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
    id: t.exposeInt('id'),
    status: t.expose('status', { type: ScheduledWorkStatus }),
    scheduled_for: t.expose('scheduled_for', { type: 'DateTime' }),
    created_at: t.expose('created_at', { type: 'DateTime' }),
    updated_at: t.expose('updated_at', { type: 'DateTime' }),
    executed_at: t.expose('executed_at', { type: 'DateTime', nullable: true }),
    created_by: t.exposeString('created_by'),
    // Contract silent: the client of the service is the MSP, as in `human_friendly_client_name`.
    client_id: t.exposeID('tenant_id', { description: 'The id of the tenant.' }),
    ticket_id: t.exposeID('ticket_id'),
    ticket_number: t.exposeString('ticket_number', { nullable: true }),
    workflow_id: t.exposeInt('workflow_id'),
    workflow_name: t.string({
      description: 'The name that the agent has now.',
      ...from(['workflow_name'], ({ workflow_name }) => workflow_name as string),
    }),
    additional_custom_instructions: t.exposeString('additional_custom_instructions', { nullable: true }),
    execution_message: t.exposeString('execution_message', { nullable: true }),
    execution_temporal_run_id: t.exposeID('execution_temporal_run_id', { nullable: true }),
    execution_id: t.exposeID('execution_id', { nullable: true }),
    attempt: t.exposeInt('attempt'),
    cancel_reason: t.exposeString('cancel_reason', { nullable: true }),
    revision: t.exposeInt('revision', { description: REVISION }),
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
