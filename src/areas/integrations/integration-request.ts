/** A request for an integration that the service does not have, as it is answered. */
import { REVISION } from '../../gateway/entity-tags.ts'
import { enumFrom } from '../../schema/builder.ts'
import { rowType } from '../../schema/row-type.ts'

export const IntegrationAccess = enumFrom('IntegrationAccess')

export const IntegrationRequestStatus = enumFrom('IntegrationRequestStatus')

export const IntegrationRequest = rowType('IntegrationRequest', {
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Opaque identifier.' }),
    vendor_name: t.exposeString('vendor_name'),
    use_case: t.exposeString('use_case'),
    docs_url: t.expose('docs_url', { type: 'URL', nullable: true }),
    access: t.expose('access', { type: IntegrationAccess }),
    can_share_test_key: t.exposeBoolean('can_share_test_key'),
    has_spec_file: t.exposeBoolean('has_spec_file'),
    requested_by_name: t.exposeString('requested_by_name'),
    status: t.expose('status', { type: IntegrationRequestStatus }),
    created_at: t.expose('created_at', { type: 'DateTime' }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})
