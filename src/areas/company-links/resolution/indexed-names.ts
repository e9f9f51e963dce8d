/** The names of a tenant's companies, indexed once for all pages of a run that one process resolves. */

import type { DatabaseContext } from '../../../db/db.ts'
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import { recentValues } from '../../../lib/recent-values.ts'
import { createYield, type Yield } from '../../../lib/yielding.ts'
import { companiesToMatch } from '../../end-companies/index.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import {
  type CompanyIndex,
  createCompanyIndex,
  createLearnedNames,
  type EarlierMapping,
  type LearnedNames,
} from './company-index.ts'

export interface IndexedNames {
  index: CompanyIndex
  learned: LearnedNames
}

const LEARNED = scoped(
  'company_links.chosen_elsewhere',
  `select external_name as name, psa_company_id as company_id from company_link
   where tenant_id = $1 and environment = $2 and system <> $3::text and link_state = 'MANUAL'
     and psa_company_id is not null and external_name is not null`,
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

async function readIndex(ctx: DatabaseContext): Promise<CompanyIndex> {
  const index = createCompanyIndex()
  const companies = await companiesToMatch(ctx)
  await addAll(
    index,
    companies.map(({ psa_company_id: id, name, domains }) => ({ id, name, domains, asset_names: [] })),
  )
  return index
}

async function readLearned(ctx: DatabaseContext, system: CompanyLinkSystem): Promise<LearnedNames> {
  const learned = createLearnedNames()
  await addAll(learned, await sql<EarlierMapping>(ctx, LEARNED, [system]))
  return learned
}

/** The names as they are stored now. */
export async function readNames(ctx: DatabaseContext, system: CompanyLinkSystem): Promise<IndexedNames> {
  const [index, learned] = await Promise.all([readIndex(ctx), readLearned(ctx, system)])
  return { index, learned }
}

/** An index of 20,000 companies takes 35 MB. A run that goes on after a minute reads the names again. */
const INDEXES = recentValues<CompanyIndex>({ most: 4, idle_ms: 60_000 })
const LEARNED_NAMES = recentValues<LearnedNames>({ most: 4, idle_ms: 60_000 })

/** The names as they were stored when this process resolved the first page of the run. */
// Contract silent: a company that is stored or renamed while links are resolved is found by the next sync.
export async function namesOfRun(
  ctx: DatabaseContext,
  run_id: string,
  system: CompanyLinkSystem,
): Promise<IndexedNames> {
  const { tenant_id, environment } = tenancyOf(ctx)
  const run = `${tenant_id} ${environment} ${run_id}`
  const [index, learned] = await Promise.all([
    INDEXES.get(run, () => readIndex(ctx)),
    LEARNED_NAMES.get(`${run} ${system}`, () => readLearned(ctx, system)),
  ])
  return { index, learned }
}
