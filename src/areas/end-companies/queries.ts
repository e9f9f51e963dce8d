/** The SQL of end companies. */
import { type DatabaseContext, db, scoped, sql } from '../../db/db.ts'
import { ascending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { found } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { dataLoader } from '../../schema/lists/data-loader.ts'
import { searchFor } from '../../schema/lists/list.ts'
import type { Row } from '../../schema/models.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { type Company, companyEtag, EndCompany } from './end-company.ts'
import { LINK_COUNT } from './link-count.ts'

// An unset list is null in PostgreSQL.
const domains = `coalesce(c.domains, '{}')`

/** The end companies, as changes reach them. */
export const END_COMPANY = defineTable<Company>()('EndCompany', {
  alias: 'c',
  noun: 'end_company',
  type: EndCompany,
  argument: 'end_company_id',
  description: 'The `id` of the company.',
  not_found: 'end_company_not_found',
  etag: companyEtag,
  computed: { domains, link_count: LINK_COUNT },
})

/** The tenant’s end companies, by name in any letter case, then by id. */
export const END_COMPANIES = END_COMPANY.list({
  name: 'end_companies',
  order: [ascending('sort_name', 'text'), ascending('id', 'text')],
  filters: {
    psa_company_id: END_COMPANY.by.is('psa_company_id', 'Only the company with this id in the PSA.'),
    status: END_COMPANY.by.isOneOf('status', 'Only companies with one of these statuses'),
    in_scope: END_COMPANY.by.is(
      'in_scope',
      'Only companies inside (true) or outside (false) the company filters.',
    ),
    workplace_mapped: {
      type: 'Boolean',
      description: 'Only companies with (true) or without (false) a workplace-suite tenant.',
      where: (mapped) => ({ text: `c.workplace_tenant_id is ${mapped ? 'not ' : ''}null` }),
    },
    search: searchFor('c.sort_name', 'Only companies whose name contains this, in any letter case.'),
  },
})

const STORED = projection('EndCompany', 'c', { computed: { domains }, always: [] }).select(null)

const BY_PSA_ID = scoped(
  'end_companies.by_psa_id',
  `select ${STORED} from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = any($3::text[])`,
)

/** The company with this id in the PSA, or null. */
export const endCompanyOf = dataLoader<string, Row<'EndCompany'> | null>(async (ctx, psa_company_ids) => {
  const rows = await sql<Row<'EndCompany'>>(ctx, BY_PSA_ID, [[...new Set(psa_company_ids)]])
  const companies = new Map(rows.map((row) => [row.psa_company_id, row]))
  return psa_company_ids.map((psa_company_id) => companies.get(psa_company_id) ?? null)
})

/** The company, or 404, and the one that is mapped to the workplace tenant, locked until the mutation ends. */
export async function companyToMap(
  ctx: Context,
  id: string,
  workplace_tenant_id: string | null = null,
): Promise<{ company: Company; mapped: Company | undefined }> {
  const either = { text: '(c.id = $id::text or c.workplace_tenant_id = $workplace_tenant_id::text)' }
  const locked = await END_COMPANY.lockAll(ctx, either, { id, workplace_tenant_id })
  const company = found(
    locked.find((row) => row.id === id),
    'end_company_not_found',
    id,
  )
  const mapped = locked.find((row) => row.workplace_tenant_id === workplace_tenant_id)
  return { company, mapped: workplace_tenant_id === null ? undefined : mapped }
}

const BY_ID = scoped(
  'end_companies.by_id',
  `select ${STORED} from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.id = any($3::text[])`,
)

/** The company with this id, which another row refers to. */
export const endCompanyById = dataLoader<string, Row<'EndCompany'>>(async (ctx, ids) => {
  const rows = await sql<Row<'EndCompany'>>(ctx, BY_ID, [[...new Set(ids)]])
  const companies = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found(companies.get(id), 'end_company_not_found', id))
})

type CompanyName = Pick<Row<'EndCompany'>, 'psa_company_id' | 'name'>

/** The company that the workplace-suite tenant is mapped to. */
export const companyOfWorkplaceTenant = (
  ctx: Context,
  workplace_tenant_id: string,
): Promise<CompanyName | null> => db(ctx).endCompany.findFirst({ where: { workplace_tenant_id } })

const LOCK = scoped(
  'end_companies.lock',
  `select psa_company_id, name from end_company
   where tenant_id = $1 and environment = $2 and psa_company_id = $3::text and missing_since is null
   for no key update`,
)

/** The company that the PSA has with this id, locked until the mutation ends. */
export async function lockEndCompany(ctx: Context, psa_company_id: string): Promise<CompanyName | undefined> {
  const [company] = await sql<CompanyName>(ctx, LOCK, [psa_company_id])
  return company
}

const OF_PSA = `from end_company c where c.tenant_id = $1 and c.environment = $2 and c.missing_since is null`

// The sum of the rows' hashes is the same in whatever order they come.
const MARK = `sum(hashtextextended(
  concat_ws(e'\\x1f', c.psa_company_id, c.name, c.status, array_to_string(${domains}, ' ')), 0)::numeric)`

const TO_MATCH = scoped(
  'end_companies.to_match',
  `select c.psa_company_id, c.name, c.status = 'ACTIVE' as is_active, ${domains} as domains, (${MARK} over ())::text as mark
   ${OF_PSA} order by c.psa_company_id`,
)

const MARK_TO_MATCH = scoped(
  'end_companies.mark_to_match',
  `select coalesce(${MARK}, 0)::text as mark ${OF_PSA}`,
)

interface CompanyToMatch extends Pick<Row<'EndCompany'>, 'psa_company_id' | 'name' | 'domains'> {
  is_active: boolean
}

interface CompaniesToMatch {
  companies: CompanyToMatch[]
  mark: string
}

/** Every company that the PSA has, with its domains, by its id there, and the mark of them all. */
export async function companiesToMatch(ctx: DatabaseContext): Promise<CompaniesToMatch> {
  const companies = await sql<CompanyToMatch & { mark: string }>(ctx, TO_MATCH)
  return { companies, mark: companies[0]?.mark ?? '0' }
}

/** The mark of these companies: another one once any of them has changed. */
export async function markOfCompanies(ctx: DatabaseContext): Promise<string> {
  const [row] = await sql<{ mark: string }>(ctx, MARK_TO_MATCH)
  return row?.mark ?? '0'
}

/** The id of the company with this id in the PSA; null: there is none. */
export async function companyIdOf(ctx: DatabaseContext, psa_company_id: string): Promise<string | null> {
  const company = await db(ctx).endCompany.findFirst({ where: { psa_company_id }, select: { id: true } })
  return company?.id ?? null
}
