/** A request for an integration that the service does not have, as it is answered. */
import { enumFrom } from '../../schema/builder.ts'
import { rowType } from '../../schema/row-type.ts'

export const IntegrationAccess = enumFrom('IntegrationAccess')

export const IntegrationRequest = rowType('IntegrationRequest', {
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Opaque identifier.' }),
    ...t.columns('vendor_name', 'use_case', 'docs_url', 'access', 'can_share_test_key', 'has_spec_file'),
    ...t.columns('requested_by_name', 'status', 'created_at', 'revision'),
  }),
})
