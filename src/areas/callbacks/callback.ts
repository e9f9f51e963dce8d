/** A callback as it is read and answered. */
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { ChangeType } from '../change-types/index.ts'
import { deliverySeconds } from './rules/callbacks.ts'
import { CallbackWait } from './waiting-for.ts'

export const FilterReason = enumFrom('FilterReason')

export const callbackId = { type: 'ID', required: true, description: 'The `id` of the callback.' } as const

/** A callback, with the columns that are computed for the caller. */
export interface CallbackRow extends Row<'Callback'> {
  matched_count?: number
  execution_ids?: string[]
  waiting_for?: CallbackWait | null
}

/** A row that Prisma read with its matches, as a list has it. */
export const withMatches = (
  row: Row<'Callback'>,
  matches: readonly Pick<Row<'CallbackMatch'>, 'result' | 'execution_id'>[],
): CallbackRow => ({
  ...row,
  matched_count: matches.filter(({ result }) => result === 'MATCHED').length,
  execution_ids: matches.flatMap(({ execution_id }) => execution_id ?? []),
})

const from = madeOf<CallbackRow>()

export const Callback = rowType('Callback', {
  fields: (t) => ({
    ...t.columns('id', 'psa_type'),
    change_types: t.field({
      type: [ChangeType],
      description: 'The changes that it reports, each once. Events of companies and contacts report none.',
      ...from(['change_types'], ({ change_types }) => change_types as ChangeType[]),
    }),
    ...t.columns('entity_type', 'entity_id', 'entity_number', 'psa_company_id', 'status'),
    ...t.columns('filter_reason', 'received_at', 'psa_changed_at'),
    delivery_seconds: t.float({
      nullable: true,
      description: 'Seconds from the change in the PSA until it was received. null: the event does not say.',
      ...from(['received_at', 'psa_changed_at'], deliverySeconds),
    }),
    ...t.columns('sleep_seconds', 'wait_seconds', 'psa_wait_seconds', 'work_seconds', 'processed_at'),
    waiting_for: t.field({
      type: CallbackWait,
      nullable: true,
      description:
        'What it waits for before it is processed. null: it waits for none of these, it is processed, or its processing ended. ' +
        'While the PSA does not answer, or does not show the entity yet, `error` says so.',
      ...from('waiting_for'),
    }),
    matched_count: t.field({
      type: 'NonNegativeInt',
      description: 'The agents that it made run, of those that the caller sees.',
      ...from('matched_count'),
    }),
    execution_ids: t.idList({
      description: 'The executions that it started, of agents that the caller sees.',
      ...from('execution_ids'),
    }),
    ...t.columns('error'),
  }),
})
