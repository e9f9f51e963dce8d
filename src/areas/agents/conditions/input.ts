/** Conditions on tickets as bodies of other areas have them. */
import { builder, described } from '../../../schema/builder.ts'
import { MOST_CONDITIONS } from './rules/conditions.ts'

export const ConditionMatch = builder.enumType('ConditionMatch', {
  description: 'The conditions that must hold.',
  values: described({ ALL: 'Every one. It is the default.', ANY: 'At least one.' }),
})

const TicketConditionInput = builder.inputType('TicketConditionInput', {
  description: 'A condition on a field of a ticket.',
  fields: (t) => ({
    field: t.string({
      required: true,
      description: 'The field of the ticket: `board`, `priority`, `is_vip` …',
    }),
    operator: t.string({
      required: true,
      description: 'The comparison: `equals`, `contains`, `greater_than` …',
    }),
    value: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value, of the kind of the field; a list for `in`.',
    }),
  }),
})

export const TicketConditionsInput = builder.inputType('TicketConditionsInput', {
  description: 'Conditions on tickets, by the rules of an agent’s `ticket_conditions`.',
  fields: (t) => ({
    match: t.field({
      type: ConditionMatch,
      description: 'How many of them must hold. ALL if it is left out.',
    }),
    rules: t.field({
      type: [TicketConditionInput],
      max_items: MOST_CONDITIONS,
      description: 'The conditions. None holds for every ticket.',
    }),
  }),
})
