import { scope } from '../../access/policies/policies.ts'
import { db, ownKey } from '../../db/db.ts'
import { found } from '../../errors/errors.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { addPages, listOperation } from '../../schema/lists/list-operation.ts'
import { EndCompany } from '../end-companies/index.ts'
import { CompanyLinkSystem } from '../integrations/index.ts'
import { CompanyLink, CompanyLinkPage, linkEtag } from './company-link.ts'
import { confirmLinks } from './confirm.ts'
import { mapLink } from './map.ts'
import { LINK_ARGUMENTS, LINKS_OF_COMPANY, listLinks, UNCONFIRMED } from './queries.ts'

const area = defineArea({
  name: 'Company links',
  slug: 'company-links',
  description: 'The links between the customers that an integration knows and the tenant’s PSA companies.',
  example: `
query CompanyLinks {
  company_links(system: HUDU, status: unmapped, page_size: 20) {
    links { external_id external_name psa_company_name link_state confidence needs_review }
    counts { total mapped unmapped }
    pagination { next_cursor has_more }
  }
}

# query LinksToReview {
#   company_links(system: HUDU, needs_review: true) {
#     links { external_id external_name psa_company_name match_method confidence }
#   }
# }`,
})

area.query('company_links', (t) =>
  t.field({
    type: CompanyLinkPage,
    description:
      'Lists how one integration’s customers map to the tenant’s PSA companies. Unmapped rows come first; then by ' +
      'name (external_id if there is none) in any letter case, then by external_id. A SharePoint-type ' +
      'folder that was never confirmed is not listed.',
    rest: { method: 'GET', path: '/company-links' },
    access: scope('end_companies:read'),
    args: LINK_ARGUMENTS,
    resolve: (_root, args, ctx, info) => listLinks(ctx, args, info),
  }),
)

listOperation(area, 'unconfirmed_company_links', UNCONFIRMED, {
  of: CompanyLink,
  page: 'UnconfirmedCompanyLink',
  description:
    'Lists the folders of one integration that wait for a person: SharePoint-type folders that were never confirmed. ' +
    'Confirm those that a sync has mapped to the right company, and map the others: from then on they are listed ' +
    'with the other links. They come in the order of that list; an integration without folders has none.',
  rest: { method: 'GET', path: '/company-links/unconfirmed' },
  access: scope('end_companies:read'),
})

area.query('company_link', (t) =>
  t.prismaField({
    type: CompanyLink,
    description:
      'Gets how one entity of an integration maps to the tenant’s PSA companies. A SharePoint-type folder that was ' +
      'never confirmed is read too.',
    rest: { method: 'GET', path: '/company-links/{system}/{external_id}' },
    access: scope('end_companies:read'),
    errors: ['company_link_not_found'],
    etag: linkEtag,
    args: {
      system: t.arg({ type: CompanyLinkSystem, required: true, description: 'The integration.' }),
      external_id: t.arg({ type: 'ID', required: true, description: 'The entity in the integration.' }),
    },
    // Contract silent: a folder that no person has confirmed is not listed, but is read, mapped and confirmed by its id.
    resolve: async (query, _root, { system, external_id }, ctx) => {
      const where = { tenant_id_environment_system_external_id: ownKey(ctx, { system, external_id }) }
      const link = await db(ctx).companyLink.findUnique({ ...query, where })
      return found(link, 'company_link_not_found', external_id)
    },
  }),
)

addPages(EndCompany, 'company_links', LINKS_OF_COMPANY, 'psa_company_id', {
  of: CompanyLink,
  page: 'EndCompanyLink',
  description: 'The company’s links in every integration, by integration, then by name, then by external_id.',
})

const CompanyLinkMapping = builder.inputType('CompanyLinkMapping', {
  description: 'The company to which an entity of an integration belongs.',
  fields: (t) => ({
    system: t.field({ type: CompanyLinkSystem, required: true, description: 'The integration.' }),
    external_id: t.field({ type: 'ID', required: true, description: 'The entity in the integration.' }),
    psa_company_id: t.field({
      type: 'ID',
      nullable: true,
      must_be_given: true,
      description: 'The company’s id in the PSA. null takes the company away.',
    }),
    is_primary: t.boolean({
      description:
        'true: this is the company’s main entity in the integration, and the others are not any more. Left ' +
        'out, it stays as it is for the same company. A link without a company is never the primary one.',
    }),
  }),
})

area.mutation('map_company_link', (t) =>
  t.field({
    type: CompanyLink,
    description:
      'Maps an entity to a company, or takes its company away. The link becomes MANUAL, and later syncs keep ' +
      'it; without a company it becomes UNMAPPED, and the next sync may map it again. A MANUAL link that is ' +
      'mapped to its company again stays as it is. Mapping a folder that was not listed lists it.',
    rest: { method: 'PUT', path: '/company-links' },
    access: scope('end_companies:write'),
    errors: ['company_link_not_found', 'psa_company_not_found', 'version_conflict'],
    etag: linkEtag,
    args: { input: t.arg({ type: CompanyLinkMapping, required: true }) },
    resolve: (_root, { input }, ctx) => {
      const { system, external_id, psa_company_id, is_primary } = input
      return mapLink(ctx, {
        system,
        external_id,
        psa_company_id: psa_company_id ?? null,
        is_primary: is_primary ?? undefined,
      })
    },
  }),
)

const CompanyLinkConfirmation = builder.inputType('CompanyLinkConfirmation', {
  description: 'Links that a person confirms.',
  fields: (t) => ({
    system: t.field({ type: CompanyLinkSystem, required: true, description: 'The integration.' }),
    external_ids: t.field({
      type: ['ID'],
      required: true,
      min_items: 1,
      max_items: 200,
      description: 'The entities in the integration: 1 to 200. One that is named twice counts once.',
    }),
  }),
})

area.mutation('confirm_company_links', (t) =>
  t.field({
    type: [CompanyLink],
    max_items: 200,
    description:
      'Makes AUTO links MANUAL with the company they have: all of them or, on an error, none. A MANUAL link ' +
      'stays as it is. `details.ids` names the unknown entities, or else those without a company; `details.id` ' +
      'is the first of them. Answers the links in the order in which they were named.',
    rest: { method: 'POST', path: '/company-links/confirm' },
    access: scope('end_companies:write'),
    errors: ['company_link_not_found', 'company_link_unmapped'],
    args: { input: t.arg({ type: CompanyLinkConfirmation, required: true }) },
    resolve: (_root, { input }, ctx) => confirmLinks(ctx, input),
  }),
)
