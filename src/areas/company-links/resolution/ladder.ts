/** The resolution ladder: finds the PSA company of each customer of an integration. */
import { type LadderMethod, PRECEDENCE, REVIEW_BELOW } from '../rules.ts'
import {
  type CompanyIndex,
  createCompanyIndex,
  createLearnedNames,
  type EarlierMapping,
  lookupAssets,
  type Party,
  readParty,
} from './company-index.ts'
import type { Answer, Evidence } from './rungs.ts'
import * as rungs from './rungs.ts'

const RUNGS = {
  MANUAL: rungs.manual,
  LEARNED_MANUAL: rungs.learnedManual,
  NATIVE_ADAPTER: rungs.nativeAdapter,
  EXACT_NAME: rungs.exactName,
  FUZZY: rungs.fuzzy,
  DOMAIN: rungs.domain,
  LLM: rungs.model,
  ASSET_OVERLAP: rungs.assetOverlap,
} satisfies Record<LadderMethod, unknown>

/** The most confidence in a company if a weaker rung is certain of another one. */
const DISPUTED = 0.94

/** The company of a customer. */
export type Resolution = { customer_id: string } & (
  | { company_id: string; method: LadderMethod; confidence: number; flagged: boolean }
  | { company_id: null; method: 'UNMATCHED'; confidence: 0; flagged: false }
)

/** The evidence by which customers are resolved. */
export interface ResolutionInput extends Partial<Pick<Evidence, 'manual' | 'native' | 'verdicts'>> {
  customers: readonly Party[]
  companies: readonly Party[]
  /** The choices of persons for customers of other integrations. */
  earlier?: readonly EarlierMapping[]
}

/**
 * The company of one customer. The strongest rung that names one decides which; of the rungs that name the same, the most
 * confident one is the method.
 */
// Contract silent: rungs that agree support each other, and one that is certain of another company makes the link one to check.
function resolve(customer: Party, index: CompanyIndex, evidence: Evidence): Resolution {
  const subject = rungs.subjectOf(readParty(customer), index)
  const answers = PRECEDENCE.flatMap((method) => {
    const answer: Answer | null = RUNGS[method](subject, index, evidence)
    return answer === null ? [] : [{ method, ...answer }]
  })
  const [strongest] = answers
  if (strongest === undefined)
    return { customer_id: customer.id, company_id: null, method: 'UNMATCHED', confidence: 0, flagged: false }
  const { company_id } = strongest
  const agreeing =
    strongest.method === 'MANUAL' ? [strongest] : answers.filter((answer) => answer.company_id === company_id)
  const { method, confidence: found } = agreeing.reduce((best, answer) =>
    answer.confidence > best.confidence ? answer : best,
  )
  const is_disputed =
    method !== 'MANUAL' &&
    answers.some((answer) => answer.company_id !== company_id && answer.confidence >= REVIEW_BELOW)
  const confidence = is_disputed ? Math.min(found, DISPUTED) : found
  const flagged = method !== 'MANUAL' && confidence < REVIEW_BELOW
  return { customer_id: customer.id, company_id, method, confidence, flagged }
}

/** The ladder over the companies of a tenant. */
export interface Ladder {
  /** The company of the customer, which is judged by itself: two customers may have the same company. */
  resolve(customer: Party): Resolution
  /** The companies that the customer may be, the likeliest first. */
  candidates(customer: Party): readonly Party[]
}

interface LadderInput extends Partial<Omit<Evidence, 'withAssets'>> {
  index: CompanyIndex
  /** Names of the devices of companies, by the company's id. */
  company_assets?: ReadonlyMap<string, readonly string[]>
}

const NOTHING_LEARNED = createLearnedNames()

export function createLadder({
  index,
  company_assets = new Map(),
  learned = NOTHING_LEARNED,
  manual = new Map(),
  native = new Map(),
  verdicts = new Map(),
}: LadderInput): Ladder {
  const known = [...company_assets].filter(([id]) => index.companyOf(id) !== undefined)
  const evidence = { manual, native, verdicts, learned, withAssets: lookupAssets(known) }
  return {
    resolve: (customer) => resolve(customer, index, evidence),
    candidates(customer) {
      const { name, domains } = readParty(customer)
      if (name.is_placeholder) return []
      const ids = [...index.withDomain(domains), ...index.alike(name)].map(({ id }) => id)
      return [...new Set(ids)].flatMap((id) => index.partyOf(id) ?? [])
    },
  }
}

/** The company of each customer, in the customers' order. */
export function resolveAll({ customers, companies, earlier = [], ...input }: ResolutionInput): Resolution[] {
  const index = createCompanyIndex()
  for (const company of companies) index.add(company)
  const learned = createLearnedNames()
  for (const mapping of earlier) learned.add(mapping)
  const company_assets = new Map(companies.map(({ id, asset_names }) => [id, asset_names]))
  const ladder = createLadder({ ...input, index, learned, company_assets })
  return customers.map((customer) => ladder.resolve(customer))
}
