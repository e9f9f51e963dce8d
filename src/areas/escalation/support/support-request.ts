/** A question of the tenant to the operator, as it is stored and as callers see it. */
import type { Row } from '../../../schema/models.ts'
import { rowType } from '../../../schema/row-type.ts'

export type SupportRequestRow = Row<'SupportRequest'>

export const SupportRequest = rowType('SupportRequest', {
  fields: (t) => ({
    ...t.columns('id', 'reference', 'summary', 'execution_id', 'conversation_id', 'status'),
    ...t.columns('created_at', 'created_by_name'),
  }),
})
