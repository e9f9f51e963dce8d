/** The companies of the local PSA, and the fields that they can be filtered by. */
import { scoped, sql } from '../../db/db.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import type { PortContext } from '../port.ts'
import type { Psa, PsaCompany, PsaCompanyDetails, PsaOption } from '../psa.ts'

/** The fields, in the order in which they are shown. Their options are rows. */
const FIELDS: Readonly<Record<string, string>> = {
  type: 'Type',
  classification: 'Classification',
  territory: 'Territory',
  status: 'Status',
}

const OPTIONS = scoped(
  'psa.company_options',
  `select o.field_name, o.option_id as id, o.name from psa_company_option o
   where o.tenant_id = $1 and o.environment = $2 order by o.field_name, o.option_id`,
)

/** Of a row `end_company c`. */
export const COMPANY_COLUMNS = `c.psa_company_id, c.name, c.status = 'ACTIVE' as is_active,
  coalesce((
    select jsonb_object_agg(a.field_name, a.option_id) from psa_company_attribute a
    where a.tenant_id = c.tenant_id and a.environment = c.environment and a.psa_company_id = c.psa_company_id
  ), '{}') as attributes`

const ALL = scoped(
  'psa.companies',
  `select ${COMPANY_COLUMNS} from end_company c where c.tenant_id = $1 and c.environment = $2 order by c.sort_name, c.id`,
)

const ONE = scoped(
  'psa.company',
  `select ${COMPANY_COLUMNS} from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text`,
)

const NAMES = scoped(
  'psa.company_names',
  `select c.psa_company_id, c.name from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = any($3::text[])`,
)

const DETAILS = scoped(
  'psa.company_details',
  `select coalesce(c.domains, '{}') as domains, array(
     select a.name from psa_agreement a
     where a.tenant_id = c.tenant_id and a.environment = c.environment and a.psa_company_id = c.psa_company_id
     order by a.name
   ) as agreements
   from end_company c where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text`,
)

const SEARCH = scoped(
  'psa.search_companies',
  `select ${COMPANY_COLUMNS} from end_company c
   where c.tenant_id = $1 and c.environment = $2
     and ${searchable(`concat_ws(' ', c.name, array_to_string(c.domains, ' '))`)} like all($3::text[])
   order by c.sort_name, c.id limit $4::int`,
)

type Companies = Pick<
  Psa,
  'companyFields' | 'companies' | 'company' | 'companyNames' | 'companyDetails' | 'searchCompanies'
>

// The base data of companies are those that the service has of them.
export const companiesOf = (ctx: PortContext): Companies => ({
  async companyFields() {
    const rows = await sql<PsaOption & { field_name: string }>(ctx, OPTIONS)
    return Object.entries(FIELDS).map(([field_name, label]) => ({
      field_name,
      label,
      options: rows.flatMap(({ field_name: of, id, name }) => (of === field_name ? [{ id, name }] : [])),
    }))
  },
  companies: () => sql<PsaCompany>(ctx, ALL),
  company: async (psa_company_id) => (await sql<PsaCompany>(ctx, ONE, [psa_company_id]))[0] ?? null,
  async companyNames(psa_company_ids) {
    const rows = await sql<{ psa_company_id: string; name: string }>(ctx, NAMES, [psa_company_ids])
    const names = new Map(rows.map(({ psa_company_id, name }) => [psa_company_id, name]))
    return psa_company_ids.map((id) => names.get(id) ?? null)
  },
  companyDetails: async (psa_company_id) =>
    (await sql<PsaCompanyDetails>(ctx, DETAILS, [psa_company_id]))[0] ?? null,
  searchCompanies: ({ words, limit }) => sql<PsaCompany>(ctx, SEARCH, [wordPatterns(words), limit]),
})
