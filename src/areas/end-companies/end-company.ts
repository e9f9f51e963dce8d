/** An end company as it is answered. */
import type { Context } from '../../gateway/context.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { linkCountOf } from './link-count.ts'

/** A company with the number of its links, if that was read with it. */
export interface Company extends Row<'EndCompany'> {
  link_count?: number
}

/** The company with the number of its links, which is part of its entity tag. */
export const withLinkCount = async (ctx: Context, row: Row<'EndCompany'>): Promise<Company> => ({
  ...row,
  link_count: await linkCountOf(ctx, row.psa_company_id),
})

export const endCompanyId = {
  type: 'ID',
  required: true,
  description: 'The `id` of the company.',
} as const

/** Syncs, company filters and company links change a company without a new revision. */
export const companyEtag = (company: Company): string =>
  etagOf(company.revision, [
    company.psa_company_id,
    company.name,
    company.in_scope,
    company.status,
    company.domains,
    company.is_vip,
    company.link_count,
    company.end_user_count,
    company.last_synced_at,
  ])

const from = madeOf<Company>()

export const EndCompany = rowType('EndCompany', {
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Opaque identifier in this API.' }),
    ...t.columns('psa_company_id', 'name', 'in_scope', 'status', 'domains', 'workplace_tenant_id'),
    ...t.columns('is_vip'),
    link_count: t.field({
      type: 'NonNegativeInt',
      description: 'Entities of integrations that are mapped to the company and listed in company links.',
      ...from(
        ['link_count', 'psa_company_id'],
        ({ link_count, psa_company_id }, _args, ctx) => link_count ?? linkCountOf(ctx, psa_company_id),
      ),
    }),
    end_user_count: t.expose('end_user_count', { type: 'NonNegativeInt' }),
    ...t.columns('last_synced_at', 'revision'),
  }),
})
