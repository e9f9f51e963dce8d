/** The fields of a rule that callers give. */
import { builder } from '../../../schema/builder.ts'
import { TicketConditionsInput } from '../../agents/index.ts'

const RULE_FIELDS = {
  name: { min_length: 1, max_length: 120, description: 'The name of the rule.' },
  position: {
    min: 0,
    max: 1000,
    description: 'Rules are tried by this number, the lowest first, and then by `id`. Gaps are allowed.',
  },
  enabled: { description: 'false: it is not tried.' },
  conditions: {
    type: TicketConditionsInput,
    nullable: true,
    description: 'The tickets that it is for, as `ticket_conditions` of an agent. null: all.',
  },
  candidate_technician_ids: {
    max_items: 200,
    description:
      'The technicians of the pool, by their ids; one who is there twice counts once. Empty: all technicians.',
  },
  required_skills: {
    max_items: 20,
    min_length: 1,
    max_length: 60,
    description:
      'The skills that a technician must have, compared in any letter case; one that is there twice counts once.',
  },
} as const

export const DispatchRuleDraft = builder.inputType('DispatchRuleDraft', {
  description: 'The rule to create.',
  fields: (t) => ({
    name: t.string({ ...RULE_FIELDS.name, required: true }),
    position: t.int({ ...RULE_FIELDS.position, defaultValue: 0 }),
    enabled: t.boolean({ ...RULE_FIELDS.enabled, defaultValue: true }),
    conditions: t.field(RULE_FIELDS.conditions),
    candidate_technician_ids: t.intList(RULE_FIELDS.candidate_technician_ids),
    required_skills: t.stringList(RULE_FIELDS.required_skills),
  }),
})

export const DispatchRuleUpdate = builder.inputType('DispatchRuleUpdate', {
  description: 'The fields to change. A field that is left out keeps its value; lists are replaced whole.',
  fields: (t) => ({
    name: t.string(RULE_FIELDS.name),
    position: t.int(RULE_FIELDS.position),
    enabled: t.boolean(RULE_FIELDS.enabled),
    conditions: t.field(RULE_FIELDS.conditions),
    candidate_technician_ids: t.intList(RULE_FIELDS.candidate_technician_ids),
    required_skills: t.stringList(RULE_FIELDS.required_skills),
  }),
})
