/** An execution as it is read and answered. */
import { scope } from '../../access/policies/policies.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'
import { errorCodeOf } from './error-code.ts'

export const ExecutionStatus = enumFrom('ExecutionStatus')

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
    ...t.columns('execution_id', 'agent_id'),
    agent_name: t.string({ description: 'The name that the agent has now.', ...from('agent_name') }),
    ...t.columns('status', 'supervised', 'entity_id', 'entity_number', 'processed_sub_entity_ids'),
    ...t.columns('seconds_spent', 'error', 'message_for_dashboard', 'additional_custom_instructions'),
    ...t.columns('created_at', 'updated_at', 'resolution', 'trigger', 'retry_of_execution_id'),
    ...t.columns('run_count'),
    pending_til_request_count: t.int({
      description: 'The requests to technicians that wait for a decision.',
      ...from(
        ['pending_til_request_count'],
        ({ pending_til_request_count = 0 }) => pending_til_request_count,
      ),
    }),
    ...t.columns('credits_consumed', 'hours_saved', 'callback_id', 'started_at', 'finished_at'),
    ...t.columns('failure_kind'),
    error_code: t.string({
      nullable: true,
      description:
        'The stable code of `error`, with which the error begins. null: there is no error, or it has none.',
      ...from(['error'], ({ error }) => errorCodeOf(error)),
    }),
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
