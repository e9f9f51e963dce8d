import { scope } from '../../access/policies.ts'
import { db, ownKey } from '../../db/db.ts'
import { found } from '../../errors.ts'
import { defineArea } from '../../schema/builder.ts'
import { pageType } from '../../schema/page.ts'
import { Id } from '../../schema/scalars.ts'
import { EndCompany } from './end-company.ts'
import { END_COMPANIES } from './queries.ts'

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

area.query('end_companies', (t) =>
  t.field({
    type: pageType('EndCompany', EndCompany),
    description: 'Lists the tenant’s end companies, by name in any letter case, then by id.',
    rest: { method: 'GET', path: '/end-companies' },
    access: scope('end_companies:read'),
    args: END_COMPANIES.args,
    resolve: END_COMPANIES.resolve,
  }),
)

area.query('end_company', (t) =>
  t.prismaField({
    type: EndCompany,
    description: 'Gets an end company.',
    rest: { method: 'GET', path: '/end-companies/{end_company_id}' },
    access: scope('end_companies:read'),
    errors: ['end_company_not_found'],
    args: {
      end_company_id: t.arg({ type: Id, required: true, description: 'The `id` of the company.' }),
    },
    resolve: async (query, _root, { end_company_id: id }, ctx) => {
      const where = { tenant_id_environment_id: ownKey(ctx, { id }) }
      return found(await db(ctx).endCompany.findUnique({ ...query, where }), 'end_company_not_found', id)
    },
  }),
)
