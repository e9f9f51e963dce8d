/** A company link as it is read and answered. */
import { scoped, sql } from '../../db/db.ts'
import { found } from '../../errors.ts'
import type { Context } from '../../gateway/context.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder, described } from '../../schema/builder.ts'
import { EndCompany, endCompanyOf } from '../end-companies/index.ts'
import { CompanyLinkSystem } from '../integrations/index.ts'
import { LINK_STATES, MATCH_METHODS, type Mapping, needsReview } from './rules.ts'

export interface Link extends Omit<Mapping, 'confirmed_at' | 'hidden'> {
  system: CompanyLinkSystem
  external_id: string
  external_name: string | null
  revision: number
}

/** The columns of a link, of a row of `company_link l`. */
export const COLUMNS = `l.system, l.external_id, l.external_name, l.psa_company_id, l.psa_company_name,
  l.link_state::text as link_state, l.match_method::text as match_method, l.confidence, l.is_primary,
  l.mapped_by, l.mapped_at, l.revision`

const READ = scoped(
  'company_links.read',
  `select ${COLUMNS} from company_link l
   where l.tenant_id = $1 and l.environment = $2 and l.system = $3::text and l.external_id = $4::text`,
)

// Contract silent: a folder that nobody has confirmed is not listed, but is read, mapped and confirmed by its id.
export async function readLink(ctx: Context, system: CompanyLinkSystem, external_id: string): Promise<Link> {
  const [link] = await sql<Link>(ctx, READ, [system, external_id])
  return found(link, 'company_link_not_found', external_id)
}

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
