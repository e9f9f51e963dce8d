/** The match of an agent with a callback, as it is read and answered. */

import type { ObjectFieldBuilder } from '@pothos/core'
import { scope } from '../../access/policies/policies.ts'
import { builder, enumFrom, type SchemaTypes } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'
import { type Comparison, failedAmong } from './rules/decisions.ts'

export const CallbackMatchResult = enumFrom('CallbackMatchResult')
export const CallbackMatchReason = enumFrom('CallbackMatchReason')

/** A match with the name of its agent. */
export interface MatchRow extends Row<'CallbackMatch'> {
  agent_name?: string
}

const conditionFields = (t: ObjectFieldBuilder<SchemaTypes, Comparison>) => ({
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
})

export const FailedCondition = builder.objectRef<Comparison>('FailedCondition').implement({
  description: 'A condition of the agent that did not hold.',
  fields: conditionFields,
})

export const ComparedCondition = builder.objectRef<Comparison>('ComparedCondition').implement({
  description: 'A condition of the agent that was compared with the entity.',
  fields: (t) => ({
    ...conditionFields(t),
    holds: t.exposeBoolean('holds', { description: 'True if the entity met the condition.' }),
  }),
})

export interface Refusal {
  code: string
  message: string
}

export const CallbackMatchRefusal = builder.objectRef<Refusal>('CallbackMatchRefusal').implement({
  description: 'The error by which the start of an agent was refused.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'The code of the error, which `GET /schemas/error-codes` explains.',
    }),
    message: t.exposeString('message', { description: 'The message of the error.' }),
  }),
})

const from = madeOf<MatchRow>()

export const COMPARISONS = 'The agent’s conditions that were compared with the entity, those that held too.'

const COMPARED = ['comparisons', 'failed_conditions'] as const

/** The conditions that were compared; of a row of an older release, those of them that did not hold. */
const comparisonsOf = ({ comparisons, failed_conditions }: Pick<MatchRow, (typeof COMPARED)[number]>) =>
  (comparisons as Comparison[] | null) ??
  (failed_conditions as Omit<Comparison, 'holds'>[]).map((one) => ({ ...one, holds: false }))

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
      ...from(['reason_code', ...COMPARED], (row) => failedAmong(row.reason_code, comparisonsOf(row))),
    }),
    comparisons: t.field({
      type: [ComparedCondition],
      max_items: 100,
      description: COMPARISONS,
      ...from(COMPARED, comparisonsOf),
    }),
    refusal: t.field({
      type: CallbackMatchRefusal,
      nullable: true,
      description:
        'The error by which the start was refused, if the reason is START_REFUSED. null: it was not refused.',
      ...from(['refusal_code', 'refusal_message'], ({ refusal_code, refusal_message }) =>
        refusal_code === null ? null : { code: refusal_code, message: refusal_message ?? '' },
      ),
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
