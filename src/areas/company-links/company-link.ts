/** A company link as it is read and answered. */
import { callerOf, personOf } from '../../access/viewer.ts'
import type { Context } from '../../gateway/context.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder, described } from '../../schema/builder.ts'
import { type PageInfo, PaginationType } from '../../schema/page.ts'
import { EndCompany, endCompanyOf } from '../end-companies/index.ts'
import { CompanyLinkSystem } from '../integrations/index.ts'
import { type By, LINK_STATES, MATCH_METHODS, type Mapping, needsReview } from './rules.ts'

export interface Link extends Omit<Mapping, 'confirmed_at' | 'hidden'> {
  system: CompanyLinkSystem
  external_id: string
  external_name: string | null
  revision: number
}

/** A link with what only changes of it need. */
export interface StoredLink extends Link {
  confirmed_at: Date | null
  readonly hidden: boolean
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

type Identity = Pick<Link, 'system' | 'external_id'>

/** The name of a link in the activity log. */
const idOf = ({ system, external_id }: Identity): string => `${system}/${external_id}`

/** A link as the target of an activity. */
export const targetOf = ({ external_name, ...link }: Identity & Pick<Link, 'external_name'>) => ({
  type: 'company_link',
  id: idOf(link),
  name: external_name ?? link.external_id,
})

/** The caller as the one who maps now. */
export const byCaller = (ctx: Context): By => ({ mapped_by: personOf(callerOf(ctx)), mapped_at: ctx.now })

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
  ])

const LinkState = builder.enumType('LinkState', {
  description:
    'AUTO comes from a sync; MANUAL is set by a person and kept by later syncs; UNMAPPED: there is no company.',
  values: described(LINK_STATES),
})

const MatchMethod = builder.enumType('MatchMethod', {
  description:
    'The rung of the resolution ladder that produced the link; UNMATCHED: none did. Strongest first: MANUAL, ' +
    'LEARNED_MANUAL, NATIVE_ADAPTER, EXACT_NAME, FUZZY, DOMAIN, LLM, ASSET_OVERLAP.',
  values: described(MATCH_METHODS),
})

const endCompany = ({ psa_company_id }: Link, ctx: Context) =>
  psa_company_id === null ? null : endCompanyOf(ctx, psa_company_id)

export const CompanyLink = builder.objectRef<Link>('CompanyLink').implement({
  description: 'One row of an integration’s mapping to the tenant’s PSA companies.',
  fields: (t) => ({
    system: t.expose('system', { type: CompanyLinkSystem, description: 'The integration.' }),
    external_id: t.exposeString('external_id', { description: 'Id of the entity in the integration.' }),
    external_name: t.exposeString('external_name', {
      nullable: true,
      description: 'The integration’s name for the entity.',
    }),
    psa_company_id: t.exposeString('psa_company_id', {
      nullable: true,
      description: 'The company’s id in the PSA. null: the entity is not mapped.',
    }),
    psa_company_name: t.exposeString('psa_company_name', {
      nullable: true,
      description: 'The company’s name when the entity was mapped.',
    }),
    link_state: t.expose('link_state', { type: LinkState, description: 'Where the link stands.' }),
    match_method: t.expose('match_method', { type: MatchMethod, description: 'What produced the link.' }),
    confidence: t.exposeFloat('confidence', {
      description: '0 to 1: 1 for MANUAL, 0 for UNMAPPED. An AUTO link below 0.95 is for a person to check.',
    }),
    is_primary: t.exposeBoolean('is_primary', {
      description: 'Whether this is the company’s main entity in the integration.',
    }),
    mapped_by: t.exposeString('mapped_by', {
      nullable: true,
      description: 'The person or key that mapped the entity.',
    }),
    mapped_at: t.expose('mapped_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the entity was mapped.',
    }),
    revision: t.exposeInt('revision', { description: REVISION }),
    needs_review: t.boolean({
      description: 'Whether a person should check the link: AUTO with a confidence below 0.95.',
      resolve: needsReview,
    }),
    end_company: t.field({
      type: EndCompany,
      nullable: true,
      graph_only: true,
      description: 'The company. null: the entity is not mapped.',
      resolve: (link, _args, ctx) => endCompany(link, ctx),
    }),
  }),
})

export const CompanyLinkStatusFilter = builder.enumType('CompanyLinkStatusFilter', {
  description: 'Which links to list.',
  values: {
    all: { description: 'Every link.' },
    mapped: { description: 'Links with a company.' },
    unmapped: { description: 'Links without a company.' },
    manual: { description: 'Links that a person set.' },
  } satisfies Record<LinkStatus, object>,
})

const CompanyLinkCounts = builder.objectRef<Counts>('CompanyLinkCounts').implement({
  description: 'How many links the filters let through, whatever their status and whether they need review.',
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
