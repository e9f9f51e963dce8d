/** An entry of the audit log as it is read and answered. */
import { enumFrom } from '../../../schema/builder.ts'
import { pageType } from '../../../schema/lists/page.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'
import { CompanyLinkSystem } from '../../integrations/index.ts'
import { ToolAccess } from './tool-access.ts'

export type AuditEntryRow = Row<'AuditEntry'>

export const AuditOutcome = enumFrom('AuditOutcome')

const from = madeOf<AuditEntryRow>()

export const AuditEntry = rowType('AuditEntry', {
  fields: (t) => ({
    id: t.exposeID('id'),
    occurred_at: t.expose('occurred_at', { type: 'DateTime' }),
    agent_id: t.exposeInt('agent_id'),
    agent_name: t.exposeString('agent_name'),
    execution_id: t.exposeID('execution_id', { nullable: true }),
    temporal_run_id: t.exposeID('temporal_run_id', { nullable: true }),
    tool_name: t.exposeString('tool_name'),
    tool_title: t.exposeString('tool_title'),
    system: t.field({
      type: CompanyLinkSystem,
      nullable: true,
      description: 'The integration that the tool works on. null: the service itself.',
      ...from(['system'], ({ system }) => system as CompanyLinkSystem | null),
    }),
    access: t.expose('access', { type: ToolAccess }),
    outcome: t.expose('outcome', { type: AuditOutcome }),
    arguments: t.expose('arguments', { type: 'JSON' }),
    arguments_truncated: t.exposeBoolean('arguments_truncated'),
    arguments_hash: t.exposeString('arguments_hash', { nullable: true }),
    result_summary: t.exposeString('result_summary', { nullable: true }),
    error_code: t.exposeString('error_code', { nullable: true }),
    error_message: t.exposeString('error_message', { nullable: true }),
    duration_ms: t.exposeInt('duration_ms'),
    entity_id: t.exposeID('entity_id', { nullable: true }),
    entity_number: t.exposeString('entity_number', { nullable: true }),
    psa_company_id: t.exposeID('psa_company_id', { nullable: true }),
    psa_company_name: t.exposeString('psa_company_name', { nullable: true }),
    supervised: t.exposeBoolean('supervised'),
    til_request_id: t.exposeID('til_request_id', { nullable: true }),
    decided_by_name: t.exposeString('decided_by_name', { nullable: true }),
    acting_user_id: t.exposeID('acting_user_id', { nullable: true }),
    api_key_id: t.exposeID('api_key_id', { nullable: true }),
    api_key_name: t.exposeString('api_key_name', { nullable: true }),
    request_id: t.exposeID('request_id', { nullable: true }),
    correlation_id: t.exposeID('correlation_id'),
    // 53 bits: an Int of GraphQL has 32.
    sequence: t.expose('sequence', { type: 'NonNegativeInt' }),
    hash: t.exposeString('hash', { nullable: true }),
    previous_hash: t.exposeString('previous_hash', { nullable: true }),
  }),
})

export const AuditEntryPage = pageType<AuditEntryRow>('AuditEntry', AuditEntry)
