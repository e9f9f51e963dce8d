/** The names of a tenant's companies, indexed once for as long as they stay the same. */

import { createHash } from 'node:crypto'
import type { DatabaseContext } from '../../../db/db.ts'
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import { recentValues } from '../../../lib/recent-values.ts'
import { createYield, type Yield } from '../../../lib/yielding.ts'
import { companiesToMatch, markOfCompanies } from '../../end-companies/index.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import { NAMES_HOLD } from '../queries.ts'
import {
  type CompanyIndex,
  createCompanyIndex,
  createLearnedNames,
  type EarlierMapping,
  type LearnedNames,
} from './company-index.ts'

/** The companies of a tenant as they were read. */
interface IndexedCompanies {
  index: CompanyIndex
  /** The mark of the companies in the index. */
  mark: string
}

export interface IndexedNames extends IndexedCompanies {
  learned: LearnedNames
}

// A name teaches as long as both are called what the person saw.
const LEARNED = scoped(
  'company_links.chosen_elsewhere',
  `select l.external_name as name, l.psa_company_id as company_id from company_link l
   where l.tenant_id = $1 and l.environment = $2 and l.system <> $3::text and l.link_state = 'MANUAL'
     and l.mapped and l.external_name is not null and ${NAMES_HOLD}`,
)

/** Adds everything, and lets other work go on in between. */
export async function addAll<Item>(
  to: { add(item: Item): void },
  items: Iterable<Item>,
  yieldNow: Yield = createYield(),
): Promise<void> {
  for (const item of items) {
    await yieldNow()
    to.add(item)
  }
}

async function readIndex(ctx: DatabaseContext): Promise<IndexedCompanies> {
  const index = createCompanyIndex()
  const { companies, mark } = await companiesToMatch(ctx)
  await addAll(
    index,
    companies.map(({ psa_company_id: id, ...company }) => ({ ...company, id, asset_names: [] })),
  )
  return { index, mark }
}

/** An index of 20,000 companies takes 35 MB. */
const INDEXES = recentValues<IndexedCompanies>({ most: 4, idle_ms: 60_000 })
const LEARNED_NAMES = recentValues<LearnedNames>({ most: 4, idle_ms: 60_000 })

async function readLearned(ctx: DatabaseContext, system: CompanyLinkSystem): Promise<LearnedNames> {
  const mappings = await sql<EarlierMapping>(ctx, LEARNED, [system])
  const hash = createHash('sha256').update(JSON.stringify(mappings)).digest('base64url')
  return await LEARNED_NAMES.get(hash, async () => {
    const learned = createLearnedNames()
    await addAll(learned, mappings)
    return learned
  })
}

/** The names as they are stored now. */
export async function readNames(ctx: DatabaseContext, system: CompanyLinkSystem): Promise<IndexedNames> {
  const { tenant_id, environment } = tenancyOf(ctx)
  const mark = await markOfCompanies(ctx)
  const [companies, learned] = await Promise.all([
    INDEXES.get(`${tenant_id} ${environment} ${mark}`, () => readIndex(ctx)),
    readLearned(ctx, system),
  ])
  return { ...companies, learned }
}
