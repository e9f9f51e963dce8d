import { scope } from '../../access/policies/policies.ts'
import { db, ownKey } from '../../db/db.ts'
import { ApiError, found } from '../../errors/errors.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { listOperation } from '../../schema/lists/list-operation.ts'
import { companyEtag, EndCompany, endCompanyId, withLinkCount } from './end-company.ts'
import { companyToMap, END_COMPANIES, END_COMPANY } from './queries.ts'

const area = defineArea({
  name: 'End companies',
  slug: 'end-companies',
  description: 'The customers of the MSP, as the PSA knows them.',
  example: `
query EndCompanies {
  end_companies(in_scope: true, page_size: 20) {
    items { id psa_company_id name status domains link_count end_user_count }
    pagination { next_cursor has_more }
  }
}`,
})

listOperation(area, 'end_companies', END_COMPANIES, {
  of: EndCompany,
  description: 'Lists the tenant’s end companies, by name in any letter case, then by id.',
  rest: { method: 'GET', path: '/end-companies' },
  access: scope('end_companies:read'),
})

area.query('end_company', (t) =>
  t.prismaField({
    type: EndCompany,
    description: 'Gets an end company.',
    rest: { method: 'GET', path: '/end-companies/{end_company_id}' },
    access: scope('end_companies:read'),
    errors: ['end_company_not_found'],
    etag: companyEtag,
    args: { end_company_id: t.arg(endCompanyId) },
    resolve: async (query, _root, { end_company_id }, ctx) => {
      const where = { tenant_id_environment_id: ownKey(ctx, { id: end_company_id }) }
      const company = await db(ctx).endCompany.findUnique({ ...query, where })
      return await withLinkCount(ctx, found(company, 'end_company_not_found', end_company_id))
    },
  }),
)

const WorkplaceTenantMapping = builder.inputType('WorkplaceTenantMapping', {
  description: 'The workplace-suite tenant of a company.',
  fields: (t) => ({
    // Contract silent: the id is text of the workplace suite, and compared as it is sent.
    workplace_tenant_id: t.id({
      required: true,
      min_length: 1,
      max_length: 120,
      description: 'The tenant’s id in the workplace suite, as the suite’s tokens have it.',
    }),
  }),
})

const mapping = {
  type: EndCompany,
  access: scope('end_companies:write'),
  etag: companyEtag,
} as const

area.mutation('map_workplace_tenant', (t) =>
  t.field({
    ...mapping,
    description:
      'Maps a company to its workplace-suite tenant, in place of the one it has. A tenant has one company.',
    rest: { method: 'PUT', path: '/end-companies/{end_company_id}/workplace-tenant' },
    errors: ['end_company_not_found', 'workplace_tenant_taken', 'version_conflict'],
    args: {
      end_company_id: t.arg(endCompanyId),
      input: t.arg({ type: WorkplaceTenantMapping, required: true }),
    },
    resolve: async (_root, { end_company_id, input: { workplace_tenant_id } }, ctx) => {
      const { company, mapped } = await companyToMap(ctx, end_company_id, workplace_tenant_id)
      return await change(ctx, END_COMPANY, company, {
        verb: 'workplace_mapped',
        decide: () => {
          if (mapped && mapped.id !== company.id)
            throw new ApiError('workplace_tenant_taken', { details: { end_company_id: mapped.id } })
          return { workplace_tenant_id }
        },
      })
    },
  }),
)

area.mutation('unmap_workplace_tenant', (t) =>
  t.field({
    ...mapping,
    description: 'Takes the workplace-suite tenant from a company. One that has none stays as it is.',
    rest: { method: 'DELETE', path: '/end-companies/{end_company_id}/workplace-tenant' },
    errors: ['end_company_not_found', 'version_conflict'],
    args: { end_company_id: t.arg(endCompanyId) },
    resolve: async (_root, { end_company_id }, ctx) =>
      await change(ctx, END_COMPANY, (await companyToMap(ctx, end_company_id)).company, {
        verb: 'workplace_unmapped',
        decide: () => ({ workplace_tenant_id: null }),
      }),
  }),
)
