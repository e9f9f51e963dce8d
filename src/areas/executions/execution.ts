/** An execution as it is read and answered. */
import { scope } from '../../access/policies/policies.ts'
import { enumFrom } from '../../schema/builder.ts'
import { pageType } from '../../schema/lists/page.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'

export const ExecutionStatus = enumFrom('ExecutionStatus')
export const ExecutionResolution = enumFrom('ExecutionResolution')
export const ExecutionTrigger = enumFrom('ExecutionTrigger')
const FailureKind = enumFrom('FailureKind')

/** An execution with the columns that are computed. */
export interface ExecutionRow extends Row<'Execution'> {
  agent_name?: string
  pending_til_request_count?: number
}

export const executionId = { type: 'ID', required: true, description: 'The id of the execution.' } as const

const from = madeOf<ExecutionRow>()

export const Execution = rowType('Execution', {
  read_apart: true,
  fields: (t) => ({
    id: t.id(rowId<ExecutionRow>('execution_id')),
    execution_id: t.exposeID('execution_id'),
    agent_id: t.exposeInt('agent_id'),
    agent_name: t.string({
      description: 'The name that the agent has now.',
      ...from(['agent_name'], ({ agent_name }) => agent_name as string),
    }),
    status: t.expose('status', { type: ExecutionStatus }),
    supervised: t.exposeBoolean('supervised'),
    entity_id: t.exposeID('entity_id', { nullable: true }),
    entity_number: t.exposeString('entity_number', { nullable: true }),
    processed_sub_entity_ids: t.exposeIDList('processed_sub_entity_ids'),
    seconds_spent: t.exposeFloat('seconds_spent'),
    error: t.exposeString('error', { nullable: true }),
    message_for_dashboard: t.exposeString('message_for_dashboard', { nullable: true }),
    additional_custom_instructions: t.exposeString('additional_custom_instructions', { nullable: true }),
    created_at: t.expose('created_at', { type: 'DateTime' }),
    updated_at: t.expose('updated_at', { type: 'DateTime' }),
    resolution: t.expose('resolution', { type: ExecutionResolution }),
    trigger: t.expose('trigger', { type: ExecutionTrigger }),
    retry_of_execution_id: t.exposeID('retry_of_execution_id', { nullable: true }),
    run_count: t.exposeInt('run_count'),
    pending_til_request_count: t.int({
      description: 'The requests to technicians that wait for a decision.',
      ...from(
        ['pending_til_request_count'],
        ({ pending_til_request_count = 0 }) => pending_til_request_count,
      ),
    }),
    credits_consumed: t.exposeFloat('credits_consumed'),
    hours_saved: t.exposeFloat('hours_saved'),
    callback_id: t.exposeID('callback_id', { nullable: true }),
    started_at: t.expose('started_at', { type: 'DateTime', nullable: true }),
    finished_at: t.expose('finished_at', { type: 'DateTime', nullable: true }),
    failure_kind: t.expose('failure_kind', { type: FailureKind, nullable: true }),
    agent: t.relation('agent', {
      graph_only: true,
      access: scope('agents:read'),
      description: 'The agent.',
      ...loadedBy<ExecutionRow>()(['agent_id'], ({ agent_id: id }, ctx, info) =>
        agentOf(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
  }),
})

export const ExecutionPage = pageType<ExecutionRow>('Execution', Execution)
