/** The companies of the local PSA, and the fields that they can be filtered by. */
import { scoped, sql } from '../../db/db.ts'
import type { Psa, PsaCompany, PsaContext, PsaOption } from '../psa.ts'

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
const COLUMNS = `c.psa_company_id, c.name, c.status = 'ACTIVE' as is_active,
  coalesce((
    select jsonb_object_agg(a.field_name, a.option_id) from psa_company_attribute a
    where a.tenant_id = c.tenant_id and a.environment = c.environment and a.psa_company_id = c.psa_company_id
  ), '{}') as attributes`

const ALL = scoped(
  'psa.companies',
  `select ${COLUMNS} from end_company c where c.tenant_id = $1 and c.environment = $2 order by c.sort_name, c.id`,
)

const ONE = scoped(
  'psa.company',
  `select ${COLUMNS} from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text`,
)

type Companies = Pick<Psa, 'companyFields' | 'companies' | 'company'>

// The base data of companies are those that the service has of them.
export const companiesOf = (ctx: PsaContext): Companies => ({
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
})
