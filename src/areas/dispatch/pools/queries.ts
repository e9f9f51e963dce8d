/** The table of rules, and their list. */
import { ascending } from '../../../db/query/keyset.ts'
import { defineTable } from '../../../schema/tables/table.ts'
import { DispatchRule, type RuleRow } from './rule.ts'

export const RULE = defineTable<RuleRow>()('DispatchRule', {
  alias: 'r',
  noun: 'dispatch_rule',
  type: DispatchRule,
  argument: 'rule_id',
  description: 'The `id` of the rule.',
  not_found: 'dispatch_rule_not_found',
  serialised: true,
})

/** The rules in the order in which they are tried. */
export const RULES = RULE.list({
  name: 'dispatch_rules',
  order: [ascending('position', 'int'), ascending('id', 'int')],
  filters: {},
})
