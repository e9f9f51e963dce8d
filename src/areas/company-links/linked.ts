/** The companies of customers, for adapters of systems that name customers by their own ids. */
import type { CompanyLinks } from '../../connectors/links.ts'
import { scoped, sql } from '../../db/db.ts'
import { IN_USE } from './queries.ts'

// The link of a customer that the system no longer has gives no agent access.
const CONFIRMED = `select l.external_id, l.psa_company_id from company_link l
  where l.tenant_id = $1 and l.environment = $2 and l.system = $3::text and l.mapped and not l.hidden and ${IN_USE}
    and not exists (
      select from integration_customer c
      where c.tenant_id = $1 and c.environment = $2 and c.system = l.system and c.external_id = l.external_id
        and c.missing_since is not null)`

const COMPANIES = scoped('company_links.companies_of', `${CONFIRMED} and l.external_id = any($4::text[])`)
const CUSTOMERS = scoped('company_links.customers_of', `${CONFIRMED} and l.psa_company_id = $4::text`)

interface LinkedCustomer {
  external_id: string
  psa_company_id: string
}

export const companyLinks: CompanyLinks = {
  async companiesOf(ctx, system, external_ids) {
    if (external_ids.length === 0) return new Map()
    const rows = await sql<LinkedCustomer>(ctx, COMPANIES, [system, external_ids])
    return new Map(rows.map((row) => [row.external_id, row.psa_company_id]))
  },
  async customersOf(ctx, system, psa_company_id) {
    const rows = await sql<LinkedCustomer>(ctx, CUSTOMERS, [system, psa_company_id])
    return rows.map(({ external_id }) => external_id)
  },
}
