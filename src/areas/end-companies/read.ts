/** End companies for other areas, by their id in the PSA. */
import { scoped, sql } from '../../db/db.ts'
import type { Context } from '../../gateway/context.ts'
import { dataLoader } from '../../schema/data-loader.ts'
import { COLUMNS, type EndCompanyRow } from './end-company.ts'

const BY_PSA_ID = scoped(
  'end_companies.by_psa_id',
  `select ${COLUMNS} from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = any($3::text[])`,
)

/** The company with this id in the PSA, or null. */
export const endCompanyOf = dataLoader<string, EndCompanyRow | null>(async (ctx, psa_company_ids) => {
  const rows = await sql<EndCompanyRow>(ctx, BY_PSA_ID, [[...new Set(psa_company_ids)]])
  const companies = new Map(rows.map((row) => [row.psa_company_id, row]))
  return psa_company_ids.map((psa_company_id) => companies.get(psa_company_id) ?? null)
})

const LOCK = scoped(
  'end_companies.lock',
  `select psa_company_id, name from end_company
   where tenant_id = $1 and environment = $2 and psa_company_id = $3::text
   for no key update`,
)

type Held = Pick<EndCompanyRow, 'psa_company_id' | 'name'>

/** The company with this id in the PSA, held until the mutation ends. */
export async function heldEndCompany(ctx: Context, psa_company_id: string): Promise<Held | undefined> {
  const [company] = await sql<Held>(ctx, LOCK, [psa_company_id])
  return company
}
