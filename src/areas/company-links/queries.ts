/** The SQL of company links. */
import type { GraphQLResolveInfo } from 'graphql'
import { scoped, sql } from '../../db/db.ts'
import { ascending } from '../../db/query/keyset.ts'
import type { Condition } from '../../db/query/list.ts'
import { projection } from '../../db/query/projection.ts'
import type { Context } from '../../gateway/context.ts'
import { SEARCH } from '../../schema/bounds/bounds.ts'
import { defineResource } from '../../schema/changes/change.ts'
import { updateAllOf } from '../../schema/changes/row-update.ts'
import { type Arguments, contains, defineList } from '../../schema/lists/list.ts'
import { defineNestedList } from '../../schema/lists/nested-list.ts'
import { wantedFields } from '../../schema/selection.ts'
import { CompanyLinkSystem } from '../integrations/index.ts'
import {
  CompanyLinkStatusFilter,
  type Counts,
  idOf,
  type Link,
  type LinkPage,
  type LinkStatus,
  linkEtag,
} from './company-link.ts'
import { mappedEvents } from './events.ts'

// The counts of a whole system are a rollup: the sums of a few shards. They are read with the page.
const STORED_COUNTS = `from company_link_count c
  where c.tenant_id = $1 and c.environment = $2 and c.system = `
const TOTAL = 'coalesce(sum(c.total), 0)::int'
const MAPPED = 'coalesce(sum(c.mapped), 0)::int'

const columns = projection('CompanyLink', 'l', {
  computed: {
    kept_total: `(select ${TOTAL} ${STORED_COUNTS}$system::text)`,
    kept_mapped: `(select ${MAPPED} ${STORED_COUNTS}$system::text)`,
  },
  always: ['system', 'external_id'],
})

const stored = projection('CompanyLink', 'l', { always: [] })

const MANUAL = `l.link_state = 'MANUAL'`

/** The names of both, in a link that has a company, are those under which the link was mapped. */
export const NAMES_HOLD = `coalesce(l.mapped_external_name, l.external_name) is not distinct from l.external_name
  and coalesce(l.mapped_company_name, l.psa_company_name) is not distinct from l.psa_company_name`

/**
 * The link says which company the entity is: no person has to check it first, and an AUTO link was judged under the names
 * of today.
 */
export const IN_USE = `(not l.needs_review and (${MANUAL} or ${NAMES_HOLD}))`

const FACETS = {
  mapped: 'l.mapped',
  link_state: 'l.link_state',
  needs_review: 'l.needs_review::int',
}

// The order, and in it the mapped rows and the others, is one range of the index company_link_list.
const STATUS: Record<LinkStatus, Condition | null> = {
  all: null,
  mapped: { text: 'l.mapped', fixes: 'mapped' },
  unmapped: { text: 'not l.mapped', fixes: 'mapped' },
  manual: { text: `l.mapped and ${MANUAL}`, fixes: 'mapped', facet: MANUAL },
}

// The links of a company are few and all mapped. By `mapped` they would be looked for all over that index.
const STATUS_OF_COMPANY: typeof STATUS = {
  all: null,
  mapped: null,
  unmapped: { text: 'false' },
  manual: { text: MANUAL },
}

const SYSTEM = {
  type: CompanyLinkSystem,
  required: true,
  description: 'The integration.',
  where: () => null,
} as const

const BY_NAME = {
  ...SEARCH,
  type: 'String',
  description: 'Only entities whose name in the integration contains this, in any letter case.',
  // A rare name is found by the trigram index, of all tenants; a common one, and one or two letters, by walking
  // the list. sort_name is the id if there is no name.
  where: (text: string) => {
    const { text: like, values = [] } = contains('l.sort_name')(text)
    return { text: `${like} and l.external_name is not null`, values, custom_plan: true as const }
  },
} as const

/** One integration's links, without folders that no person has confirmed. */
const LINKS = defineList<Link & { kept_total: number; kept_mapped: number }>()({
  name: 'company_links',
  from: 'company_link l',
  where: 'l.system = $system::text and not l.hidden',
  columns,
  order: [ascending('mapped', 'boolean'), ascending('sort_name', 'text'), ascending('external_id', 'text')],
  facets: FACETS,
  parameters: { system: (_ctx, { system }) => system },
  filters: {
    system: SYSTEM,
    status: {
      type: CompanyLinkStatusFilter,
      defaultValue: 'all',
      description: 'The links that are listed.',
      where: (status, { psa_company_id }) => (psa_company_id == null ? STATUS : STATUS_OF_COMPANY)[status],
    },
    psa_company_id: {
      type: 'ID',
      description: 'Only links to this PSA company.',
      where: (id) => ({
        text: 'l.psa_company_id = ?::text',
        values: [id],
        fixes: 'mapped',
        is_indexed: true,
      }),
    },
    needs_review: {
      type: 'Boolean',
      description: 'true: only links that a person should check. false: only the others.',
      // Of a system few links or most of them need review.
      where: (needed) =>
        needed
          ? { text: 'l.mapped and l.needs_review', fixes: 'mapped', facet: 'l.needs_review = 1' }
          : { text: 'not l.needs_review', custom_plan: true },
    },
    search: BY_NAME,
  },
})

/** The folders of one integration that no person has confirmed, in the order of the list of links. */
export const UNCONFIRMED = defineList<Link>()({
  name: 'unconfirmed_company_links',
  from: 'company_link l',
  where: 'l.system = $system::text and l.hidden',
  columns,
  order: [ascending('mapped', 'boolean'), ascending('sort_name', 'text'), ascending('external_id', 'text')],
  parameters: { system: (_ctx, { system }) => system },
  filters: { system: SYSTEM, search: BY_NAME },
})

export const LINK_ARGUMENTS = LINKS.args

const COUNTS_ALONE = scoped(
  'company_links.kept_counts',
  `select ${TOTAL} as kept_total, ${MAPPED} as kept_mapped ${STORED_COUNTS}$3::text`,
)

const COUNTS = `count(*)::int as total, (count(*) filter (where l.mapped))::int as mapped,
  (count(*) filter (where not l.mapped))::int as unmapped`

/** The page of a whole system, in one statement with its counts. */
async function listWithStoredCounts(
  ctx: Context,
  args: Arguments,
  wanted: ReadonlySet<string>,
): Promise<LinkPage> {
  const { items: links, pagination } = await LINKS.page(ctx, args, wanted, {
    also: ['kept_total', 'kept_mapped'],
  })
  const [kept] = links.length > 0 ? links : await sql<(typeof links)[0]>(ctx, COUNTS_ALONE, [args.system])
  const { kept_total: total = 0, kept_mapped: mapped = 0 } = kept ?? {}
  return { links, pagination, counts: { total, mapped, unmapped: total - mapped } }
}

// Contract silent: `needs_review` narrows the page as `status` does, and leaves the counts as they are.
/** One page and, if they are selected, the counts over all filters but `status` and `needs_review`. */
export async function listLinks(ctx: Context, args: Arguments, info: GraphQLResolveInfo): Promise<LinkPage> {
  const wanted = wantedFields(info, 'links')
  const is_counted = wantedFields(info).has('counts')
  const is_whole = args.psa_company_id == null && args.search == null
  if (is_whole && is_counted) return await listWithStoredCounts(ctx, args, wanted)
  const [{ items: links, pagination }, counts = null] = await Promise.all([
    LINKS.page(ctx, args, wanted),
    is_counted ? LINKS.aggregate<Counts>(ctx, args, ['system', 'psa_company_id', 'search'], COUNTS) : null,
  ])
  return { links, pagination, counts }
}

/** The listed links of each company of a list: by integration, then as that integration's list has them. */
export const LINKS_OF_COMPANY = defineNestedList<Link>({
  name: 'EndCompany.company_links',
  from: 'company_link l',
  where: 'not l.hidden',
  columns,
  order: [ascending('system', 'text'), ascending('sort_name', 'text'), ascending('external_id', 'text')],
  parent: { column: 'l.psa_company_id', type: 'text' },
})

// In one order, so that two mutations of the same links wait for each other instead of both giving up.
const LOCK = scoped(
  'company_links.lock',
  `select ${stored.select(null)} from company_link l
   where l.tenant_id = $1 and l.environment = $2 and l.system = $3::text
     and (l.external_id = any($4::text[]) or (l.psa_company_id = $5::text and l.is_primary))
   order by l.external_id
   for update`,
)

/**
 * The existing links among these, locked until the mutation ends; and the primary link of the company `primary_of`,
 * which is about to get another one.
 */
export const lockLinks = (
  ctx: Context,
  system: CompanyLinkSystem,
  external_ids: readonly string[],
  primary_of: string | null = null,
): Promise<Link[]> => sql<Link>(ctx, LOCK, [system, external_ids, primary_of])

/** The company links, as changes reach them. */
export const COMPANY_LINK = defineResource<Link>()({
  noun: 'company_link',
  etag: linkEtag,
  named: (link) => ({ id: idOf(link), name: link.external_name ?? link.external_id }),
  events: (_verb, link, before) => mappedEvents(link, before),
  write: updateAllOf('CompanyLink', {
    key: ['system', 'external_id'],
    columns: [
      'psa_company_id',
      'psa_company_name',
      'link_state',
      'match_method',
      'confidence',
      'is_primary',
      'mapped_by',
      'mapped_at',
      'confirmed_at',
      'company_missing',
      'mapped_external_name',
      'mapped_company_name',
    ],
  }),
})
