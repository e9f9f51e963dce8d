/** The rules of dispatch, as they are stored and as callers see them. */
import type { Row } from '../../../schema/models.ts'
import { rowType } from '../../../schema/row-type.ts'

/** `conditions` has the shape of an agent’s `ticket_conditions`. */
export type RuleRow = Row<'DispatchRule'>

export const DispatchRule = rowType('DispatchRule', {
  fields: (t) => ({
    ...t.columns('id', 'name', 'position', 'enabled', 'conditions', 'candidate_technician_ids'),
    ...t.columns('required_skills', 'created_at', 'updated_at', 'revision'),
  }),
})
