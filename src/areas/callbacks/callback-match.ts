/** The match of an agent with a callback, as it is read and answered. */
import { scope } from '../../access/policies/policies.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'

export const CallbackMatchResult = enumFrom('CallbackMatchResult')
export const CallbackMatchReason = enumFrom('CallbackMatchReason')

/** A match with the name of its agent. */
export interface MatchRow extends Row<'CallbackMatch'> {
  agent_name?: string
}

type Json = Row<'CallbackMatch'>['failed_conditions']

/** A type alias, since TypeScript takes no interface for JSON. */
export type Condition = {
  field: string
  operator: string
  expected?: Json
  actual?: Json
}

export const FailedCondition = builder.objectRef<Condition>('FailedCondition').implement({
  description: 'A condition of the agent that did not hold.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The field of the entity.' }),
    operator: t.exposeString('operator', { description: 'The comparison.' }),
    expected: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value that the condition names.',
      resolve: ({ expected = null }) => expected,
    }),
    actual: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value that the entity had.',
      resolve: ({ actual = null }) => actual,
    }),
  }),
})

const from = madeOf<MatchRow>()

export const CallbackMatch = rowType('CallbackMatch', {
  fields: (t) => ({
    id: t.id(rowId<MatchRow>('callback_id', 'agent_id')),
    ...t.columns('agent_id'),
    agent_name: t.string({ description: 'The name that the agent has now.', ...from('agent_name') }),
    ...t.columns('result', 'reason_code'),
    failed_conditions: t.field({
      type: [FailedCondition],
      max_items: 100,
      description: 'The agent’s conditions that did not hold, if the reason is CONDITION_FAILED.',
      ...from(['failed_conditions'], ({ failed_conditions }) => failed_conditions as Condition[]),
    }),
    ...t.columns('execution_id'),
    agent: t.relation('agent', {
      graph_only: true,
      access: scope('agents:read'),
      description: 'The agent.',
      ...loadedBy<MatchRow>()(['agent_id'], ({ agent_id: id }, ctx, info) =>
        agentOf(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
  }),
})
