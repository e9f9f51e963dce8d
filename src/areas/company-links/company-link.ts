/** A company link as it is read and answered. */
import { callerOf, recordedName } from '../../access/viewer.ts'
import type { Context } from '../../gateway/context.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { type PageInfo, PaginationType } from '../../schema/lists/page.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { EndCompany, endCompanyOf } from '../end-companies/index.ts'
import { CompanyLinkSystem } from '../integrations/index.ts'
import { type Confirmer, needsReview, REVIEWED } from './rules.ts'

export interface Link extends Row<'CompanyLink'> {
  /** In the answer to a mapping: the company before it. */
  previous_psa_company_id?: string | null
}

export type LinkStatus = 'all' | 'mapped' | 'unmapped' | 'manual'

export interface Counts {
  total: number
  mapped: number
  unmapped: number
}

export interface LinkPage {
  links: Link[]
  /** null: not selected, so not read. */
  counts: Counts | null
  pagination: PageInfo
}

type Identity = Pick<Row<'CompanyLink'>, 'system' | 'external_id'>

/** The id of a link, in the graph and in the activity log. */
export const idOf = ({ system, external_id }: Identity): string => `${system}/${external_id}`

/** The caller as the one who maps now. */
export const confirmedByCaller = (ctx: Context): Confirmer => ({
  mapped_by: recordedName(callerOf(ctx)),
  mapped_at: ctx.now,
})

/** Syncs change a link without a new revision, in all but its id. */
export const linkEtag = (link: Link): string =>
  etagOf(link.revision, [
    link.external_name,
    link.psa_company_id,
    link.psa_company_name,
    link.link_state,
    link.match_method,
    link.confidence,
    link.is_primary,
    link.mapped_by,
    link.mapped_at,
    needsReview(link),
  ])

const from = madeOf<Link>()

export const CompanyLink = rowType('CompanyLink', {
  fields: (t) => ({
    id: t.id(rowId<Link>('system', 'external_id')),
    system: t.field({
      type: CompanyLinkSystem,
      description: 'The integration.',
      ...from(['system'], ({ system }) => system as CompanyLinkSystem),
    }),
    ...t.columns('external_id', 'external_name', 'psa_company_id', 'psa_company_name', 'link_state'),
    ...t.columns('match_method', 'confidence', 'is_primary', 'mapped_by', 'mapped_at', 'revision'),
    needs_review: t.boolean({
      description:
        'True if a person should check the link: AUTO with a confidence below 0.95; MANUAL with a new name in both systems ' +
        'since a person mapped or confirmed it; or mapped to a company that the PSA no longer has.',
      ...from(REVIEWED, needsReview),
    }),
    end_company: t.relation('end_company', {
      nullable: true,
      graph_only: true,
      description: 'The company. null: the entity is not mapped.',
      ...loadedBy<Link>()(['psa_company_id'], ({ psa_company_id }, ctx) =>
        psa_company_id === null ? null : endCompanyOf(ctx, psa_company_id),
      ),
    }),
    previous_end_company: t.field({
      type: EndCompany,
      nullable: true,
      graph_only: true,
      description:
        'In the answer of `map_company_link`: the company that the entity was mapped to before. null: to none, or ' +
        'the link was only read.',
      ...from(['previous_psa_company_id'], ({ previous_psa_company_id: id }, _args, ctx) =>
        id ? endCompanyOf(ctx, id) : null,
      ),
    }),
  }),
})

export const CompanyLinkStatusFilter = builder.enumType('CompanyLinkStatusFilter', {
  description: 'The links that are listed.',
  values: {
    all: { description: 'Every link.' },
    mapped: { description: 'Links with a company.' },
    unmapped: { description: 'Links without a company.' },
    manual: { description: 'Links that a person set.' },
  } satisfies Record<LinkStatus, object>,
})

const CompanyLinkCounts = builder.objectRef<Counts>('CompanyLinkCounts').implement({
  description: 'Counts of the links that the filters let through, of every status, reviewed or not.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'All of them.' }),
    mapped: t.exposeInt('mapped', { description: 'Those with a company.' }),
    unmapped: t.exposeInt('unmapped', { description: 'Those without a company.' }),
  }),
})

export const CompanyLinkPage = builder.objectRef<LinkPage>('CompanyLinkPage').implement({
  description: 'One page of an integration’s company links.',
  fields: (t) => ({
    links: t.expose('links', { type: [CompanyLink], description: 'The links of the page.' }),
    counts: t.field({
      type: CompanyLinkCounts,
      description:
        'Over the filters `system`, `psa_company_id` and `search`, never `status` or `needs_review`.',
      resolve: ({ counts }) => counts as Counts,
    }),
    pagination: t.expose('pagination', { type: PaginationType }),
  }),
})
