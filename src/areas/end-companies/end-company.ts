/** An end company as it is answered. */
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { linkCountOf } from './link-count.ts'

export const EndCompanyStatus = enumFrom('EndCompanyStatus')

export const EndCompany = builder.prismaObject('EndCompany', {
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Opaque identifier in this API.' }),
    psa_company_id: t.exposeString('psa_company_id'),
    name: t.exposeString('name'),
    in_scope: t.exposeBoolean('in_scope'),
    status: t.expose('status', { type: EndCompanyStatus }),
    domains: t.exposeStringList('domains'),
    workplace_tenant_id: t.exposeString('workplace_tenant_id', { nullable: true }),
    is_vip: t.exposeBoolean('is_vip'),
    link_count: t.field({
      type: 'NonNegativeInt',
      description: 'Entities of integrations that are mapped to the company and listed in company links.',
      resolve: (company: Row<'EndCompany'> & { link_count?: number }, _args, ctx) =>
        company.link_count ?? linkCountOf(ctx, company.psa_company_id),
    }),
    end_user_count: t.expose('end_user_count', { type: 'NonNegativeInt' }),
    last_synced_at: t.expose('last_synced_at', { type: 'DateTime', nullable: true }),
  }),
})
