/** The SQL of end companies. */
import { scoped, sql } from '../../db/db.ts'
import { ascending } from '../../db/keyset.ts'
import { projection } from '../../db/projection.ts'
import type { Context } from '../../gateway/context.ts'
import { SEARCH } from '../../schema/bounds.ts'
import { dataLoader } from '../../schema/data-loader.ts'
import { anyOf, contains, defineList } from '../../schema/list.ts'
import type { Row } from '../../schema/models.ts'
import { Id } from '../../schema/scalars.ts'
import { EndCompanyStatus } from './end-company.ts'
import { LINK_COUNT } from './link-count.ts'

// An unset list is null in PostgreSQL.
const domains = `coalesce(c.domains, '{}')`

// Their links and the number of them are found by psa_company_id.
const always = ['id', 'psa_company_id']

/** The tenant’s end companies, by name in any letter case, then by id. */
export const END_COMPANIES = defineList<Row<'EndCompany'>>()({
  name: 'end_companies',
  from: 'end_company c',
  columns: projection('EndCompany', 'c', { computed: { domains, link_count: LINK_COUNT }, always }),
  order: [ascending('sort_name', 'text'), ascending('id', 'text')],
  filters: {
    psa_company_id: {
      type: Id,
      description: 'Only the company with this id in the PSA.',
      where: 'c.psa_company_id = ?::text',
    },
    status: {
      type: [EndCompanyStatus],
      min_items: 1,
      description: 'Only companies with one of these statuses: separated by commas, or repeated.',
      where: anyOf('c.status', 'end_company_status'),
    },
    in_scope: {
      type: 'Boolean',
      description: 'Only companies inside (true) or outside (false) the company filters.',
      where: 'c.in_scope = ?::boolean',
    },
    workplace_mapped: {
      type: 'Boolean',
      description: 'Only companies with (true) or without (false) a workplace-suite tenant.',
      where: (mapped) => ({ text: `c.workplace_tenant_id is ${mapped ? 'not ' : ''}null` }),
    },
    search: {
      ...SEARCH,
      type: 'String',
      description: 'Only companies whose name contains this, in any letter case.',
      where: contains('c.sort_name'),
    },
  },
})

const BY_PSA_ID = scoped(
  'end_companies.by_psa_id',
  `select ${projection('EndCompany', 'c', { computed: { domains }, always }).select(null)} from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = any($3::text[])`,
)

/** The company with this id in the PSA, or null. */
export const endCompanyOf = dataLoader<string, Row<'EndCompany'> | null>(async (ctx, psa_company_ids) => {
  const rows = await sql<Row<'EndCompany'>>(ctx, BY_PSA_ID, [[...new Set(psa_company_ids)]])
  const companies = new Map(rows.map((row) => [row.psa_company_id, row]))
  return psa_company_ids.map((psa_company_id) => companies.get(psa_company_id) ?? null)
})

const LOCK = scoped(
  'end_companies.lock',
  `select psa_company_id, name from end_company
   where tenant_id = $1 and environment = $2 and psa_company_id = $3::text
   for no key update`,
)

type Locked = Pick<Row<'EndCompany'>, 'psa_company_id' | 'name'>

/** The company with this id in the PSA, locked until the mutation ends. */
export async function lockEndCompany(ctx: Context, psa_company_id: string): Promise<Locked | undefined> {
  const [company] = await sql<Locked>(ctx, LOCK, [psa_company_id])
  return company
}
