/** How one integration's entities map to companies, page by page. */
import { scoped, sql } from '../../db/db.ts'
import { type Condition, firstOf, shaped } from '../../db/shaped.ts'
import type { Context } from '../../gateway/context.ts'
import { containing } from '../../lib/search.ts'
import { type Page, type PageInfo, page } from '../../schema/page.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { COLUMNS, type Link } from './company-link.ts'
import { REVIEW_BELOW } from './rules.ts'

export type Status = 'all' | 'mapped' | 'unmapped' | 'manual'

export interface Counts {
  total: number
  mapped: number
  unmapped: number
}

export interface LinkPage {
  links: Link[]
  counts: Counts
  pagination: PageInfo
}

interface Request {
  system: CompanyLinkSystem
  status?: Status | null | undefined
  psa_company_id?: string | null | undefined
  needs_review?: boolean | null | undefined
  search?: string | null | undefined
  page_size?: number | null | undefined
  cursor?: string | null | undefined
}

interface Listed extends Link {
  sort_name: string
}

/** A link with the counts of its whole system. */
interface Counted extends Listed {
  kept_total: number
  kept_mapped: number
}

const VISIBLE = 'l.tenant_id = $1 and l.environment = $2 and l.system = $3::text and not l.hidden'

// The counts of a whole system are a rollup: the sums of a few shards. They are read with the page.
const KEPT_COUNTS = `from company_link_count c
  where c.tenant_id = $1 and c.environment = $2 and c.system = $3::text`
const TOTAL = 'coalesce(sum(c.total), 0)::int'
const MAPPED = 'coalesce(sum(c.mapped), 0)::int'
const WITH_COUNTS = `(select ${TOTAL} ${KEPT_COUNTS}) as kept_total, (select ${MAPPED} ${KEPT_COUNTS}) as kept_mapped`

const rows = (by: string) => (and: string) =>
  `(${firstOf(`select l.* from company_link l where ${VISIBLE}${and}`, by, '$4')}) l order by ${by}`

// The order, and in it each status but manual, is one stretch of the index company_link_list.
const inOrder = rows('mapped, sort_name, external_id')

const PAGE = shaped<Listed>(
  'company_links.page',
  (and) => `select ${COLUMNS}, l.sort_name from ${inOrder(and)}`,
)

// The links of a company are few and all mapped. Ordered by `mapped` they would be looked for all over that index.
const ofOneCompany = rows('sort_name, external_id')

const PAGE_OF_COMPANY = shaped<Listed>(
  'company_links.page_of_company',
  (and) => `select ${COLUMNS}, l.sort_name from ${ofOneCompany(` and l.psa_company_id = $5::text${and}`)}`,
)

const PAGE_AND_COUNTS = shaped<Counted>(
  'company_links.page_and_counts',
  (and) => `select ${COLUMNS}, l.sort_name, ${WITH_COUNTS} from ${inOrder(and)}`,
)

const COUNTS_ALONE = scoped(
  'company_links.kept_counts',
  `select ${TOTAL} as kept_total, ${MAPPED} as kept_mapped ${KEPT_COUNTS}`,
)

const COUNTS = shaped<Counts>(
  'company_links.counts',
  (and) => `select count(*)::int as total,
     (count(*) filter (where l.mapped))::int as mapped,
     (count(*) filter (where not l.mapped))::int as unmapped
   from company_link l where ${VISIBLE}${and}`,
)

const MANUAL = { name: 'manual', text: `l.link_state = 'MANUAL'` }

const STATUS: Record<Status, readonly (Condition | null)[]> = {
  all: [],
  mapped: [{ name: 'mapped', text: 'l.mapped' }],
  unmapped: [{ name: 'unmapped', text: 'not l.mapped' }],
  manual: [{ name: 'mapped', text: 'l.mapped' }, MANUAL],
}

const STATUS_OF_COMPANY: typeof STATUS = {
  all: [],
  mapped: [],
  unmapped: [{ name: 'none', text: 'false' }],
  manual: [MANUAL],
}

const ofCompany = (psa_company_id: string): Condition => ({
  name: 'company',
  text: 'l.psa_company_id = ?::text',
  values: [psa_company_id],
})

// sort_name is the name in lower case, which `ilike` would have to make of every row again. A rare name is found by
// the index company_link_search, of all tenants; what is in many names, and one or two letters, by walking the list.
const named = (search: string): Condition => ({
  name: 'search',
  text: 'l.sort_name like lower(?::text) and l.external_name is not null',
  values: [containing(search)],
  custom_plan: true,
})

const NEEDS_REVIEW = `l.link_state = 'AUTO' and l.confidence < ${REVIEW_BELOW}`

// Of a system few links or most of them need review.
const reviewed = ({ needs_review }: Request): Condition | null => {
  if (needs_review == null) return null
  return needs_review
    ? { name: 'needs_review', text: NEEDS_REVIEW, custom_plan: true }
    : { name: 'needs_no_review', text: `not (${NEEDS_REVIEW})`, custom_plan: true }
}

type SortKey = readonly unknown[]

const afterAll = (key: SortKey): Condition => ({
  name: 'after',
  text: '(l.mapped, l.sort_name, l.external_id) > (?::boolean, ?::text, ?::text)',
  values: key,
})

// PostgreSQL would read a status from its beginning if the row value began with `mapped` once more.
const afterWithin = ([, sort_name, external_id]: SortKey): Condition => ({
  name: 'after',
  text: '(l.sort_name, l.external_id) > (?::text, ?::text)',
  values: [sort_name, external_id],
})

const afterOf = ({ status }: Request, key: SortKey | null): Condition | null =>
  key && ((status ?? 'all') === 'all' ? afterAll(key) : afterWithin(key))

function readPage(ctx: Context, request: Request, key: SortKey | null, limit: number): Promise<Listed[]> {
  const { system, psa_company_id } = request
  const status = request.status ?? 'all'
  const filters = [reviewed(request), request.search == null ? null : named(request.search)]
  if (psa_company_id == null) {
    return PAGE(ctx, [system, limit], [...STATUS[status], ...filters, afterOf(request, key)])
  }
  const conditions = [...STATUS_OF_COMPANY[status], ...filters, key && afterWithin(key)]
  return PAGE_OF_COMPANY(ctx, [system, limit, psa_company_id], conditions)
}

function count(ctx: Context, { system, psa_company_id, search }: Request): Promise<Counts[]> {
  const company = psa_company_id == null ? null : ofCompany(psa_company_id)
  return COUNTS(ctx, [system], [company, search == null ? null : named(search)])
}

const pageOf = <Row extends Listed>(
  ctx: Context,
  request: Request,
  read: (key: SortKey | null, limit: number) => Promise<Row[]>,
): Promise<Page<Row>> =>
  page(ctx, 'company_links', { ...request }, read, ({ psa_company_id, sort_name, external_id }) => [
    psa_company_id !== null,
    sort_name,
    external_id,
  ])

/** What nearly everybody asks for: a page of a whole system, in one statement with its counts. */
async function listWhole(ctx: Context, request: Request): Promise<LinkPage> {
  const { system } = request
  const status = STATUS[request.status ?? 'all']
  const { items: links, pagination } = await pageOf(ctx, request, (key, limit) =>
    PAGE_AND_COUNTS(ctx, [system, limit], [...status, reviewed(request), afterOf(request, key)]),
  )
  const [kept] = links.length > 0 ? links : await sql<Counted>(ctx, COUNTS_ALONE, [system])
  const { kept_total: total = 0, kept_mapped: mapped = 0 } = kept ?? {}
  return { links, pagination, counts: { total, mapped, unmapped: total - mapped } }
}

// Contract silent: `needs_review` narrows the page as `status` does, and leaves the counts as they are.
/** One page, and the counts of everything that the filters but `status` and `needs_review` let through. */
export async function listLinks(ctx: Context, request: Request): Promise<LinkPage> {
  if (request.psa_company_id == null && request.search == null) return await listWhole(ctx, request)
  const [{ items: links, pagination }, [counts]] = await Promise.all([
    pageOf(ctx, request, (key, limit) => readPage(ctx, request, key, limit)),
    count(ctx, request),
  ])
  return { links, pagination, counts: counts ?? { total: 0, mapped: 0, unmapped: 0 } }
}
