import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'
import { CompanyLinkSystem } from '../../integrations/index.ts'

export type AuditEntryRow = Row<'AuditEntry'>

const from = madeOf<AuditEntryRow>()

export const AuditEntry = rowType('AuditEntry', {
  fields: (t) => ({
    ...t.columns('id', 'occurred_at', 'agent_id', 'agent_name', 'execution_id', 'temporal_run_id'),
    ...t.columns('tool_name', 'tool_title'),
    system: t.field({
      type: CompanyLinkSystem,
      nullable: true,
      description: 'The integration that the tool works on. null: the service itself.',
      ...from(['system'], ({ system }) => system as CompanyLinkSystem | null),
    }),
    ...t.columns('access', 'outcome', 'arguments', 'arguments_truncated', 'arguments_hash'),
    ...t.columns('result_summary', 'error_code', 'error_message', 'duration_ms', 'entity_id'),
    ...t.columns('entity_number', 'psa_company_id', 'psa_company_name', 'supervised', 'til_request_id'),
    ...t.columns('decided_by_name', 'acting_user_id', 'api_key_id', 'api_key_name', 'request_id'),
    ...t.columns('correlation_id'),
    // 53 bits: an Int of GraphQL has 32.
    sequence: t.expose('sequence', { type: 'NonNegativeInt' }),
    ...t.columns('hash', 'previous_hash'),
  }),
})
