/**
 * The rungs of the resolution ladder. Each is a pure function: the company that it names for a customer, and its
 * confidence in that. A rung that finds several companies that are equally likely names none, unless only one is active.
 */

import type { AssetLookup, CompanyIndex, LearnedNames, PartyReading } from './company-index.ts'
import { type Agreement, compareNames } from './compare-names.ts'
import { domainLabel } from './domains.ts'

/** What is known of customers beside what the integration says of them. */
export interface Evidence {
  /** The company that a person mapped the customer to, by the customer's id. */
  manual: ReadonlyMap<string, string>
  /** The companies that the integration itself names, by the customer's id. */
  native: ReadonlyMap<string, readonly string[]>
  /** Verdicts of the model, by the customer's id. */
  verdicts: ReadonlyMap<string, Answer>
  /** The choices of persons for customers of other integrations. */
  learned: Pick<LearnedNames, 'companiesOf'>
  /** The companies that are in the index, by their devices. */
  withAssets: AssetLookup
}

export interface Answer {
  company_id: string
  /** 0 to 1. */
  confidence: number
}

/** A customer, with the company that its name alone finds. */
export interface Subject extends PartyReading {
  named: Candidate | null
}

type Rung = (customer: Subject, index: CompanyIndex, evidence: Evidence) => Answer | null

/** Agreement of the domains alone is worth this: groups share one. */
const DOMAIN_ALONE = 0.85
const DOMAIN_AND_NAME = 0.97

/** The same name at two companies, as their domains say, is for a person to check. */
const OTHER_DOMAIN = 0.93

/** Two candidates are equally likely if their confidence differs by less. */
const MARGIN = 0.02

const ONE_OF_SEVERAL = 0.93

/** Devices of the same name come about by chance. */
const LEAST_ASSETS = 3
const LEAST_SHARE = 0.5
const ASSETS_AT_LEAST = 0.7
const ASSETS_AT_MOST = 0.9

/** Confidence of what the integration itself says. */
const NATIVE = 0.99

/** Confidence of what a person said of the same name elsewhere. */
const LEARNED = 0.97

export interface Candidate extends Agreement {
  company: PartyReading
}

/** Both have domains of their own, and none is like one of the other's. */
const haveOtherDomains = (a: PartyReading, b: PartyReading): boolean =>
  a.domains.length > 0 &&
  b.domains.length > 0 &&
  new Set(a.domains.map(domainLabel)).isDisjointFrom(new Set(b.domains.map(domainLabel)))

const shareDomain = (a: PartyReading, b: PartyReading): boolean =>
  a.domains.some((domain) => b.domains.includes(domain))

function compare(customer: PartyReading, company: PartyReading): Candidate | null {
  const agreement = compareNames(customer.name, company.name)
  if (agreement === null) return null
  const is_capped = haveOtherDomains(customer, company)
  const confidence = is_capped ? Math.min(agreement.confidence, OTHER_DOMAIN) : agreement.confidence
  return { ...agreement, company, confidence }
}

const onlyItem = <Item>([first, ...others]: readonly Item[]): Item | null =>
  first === undefined || others.length > 0 ? null : first

/** The only one, or of several the only one of an active company. */
const onlyActive = <Item>(items: readonly Item[], isActive: (item: Item) => boolean): Item | null =>
  onlyItem(items) ?? onlyItem(items.filter(isActive))

const isActive = ({ company }: { company?: PartyReading }): boolean => company?.is_active ?? true

/** The only one that is the likeliest. */
function onlyBest<Item extends { confidence: number; company?: PartyReading }>(
  items: readonly Item[],
): Item | null {
  const most = Math.max(...items.map(({ confidence }) => confidence))
  const likeliest = items.filter(({ confidence }) => most - confidence < MARGIN - Number.EPSILON)
  return onlyActive(likeliest, isActive)
}

const answerOf = ({ company, confidence }: Pick<Candidate, 'company' | 'confidence'>): Answer => ({
  company_id: company.id,
  confidence,
})

const onlyOf = (company_ids: Iterable<string>, index: CompanyIndex, confidence: number): Answer | null => {
  const known = [...new Set(company_ids)].filter((id) => index.companyOf(id) !== undefined)
  return known.length === 1 ? { company_id: known[0] as string, confidence } : null
}

/** The likeliest company by its name; of several with the same one, that with the customer's domain. */
function byName(customer: PartyReading, index: CompanyIndex): Candidate | null {
  const candidates = index.alike(customer.name).flatMap((company) => compare(customer, company) ?? [])
  const found = onlyBest(candidates)
  if (found === null) return onlyBest(candidates.filter(({ company }) => shareDomain(customer, company)))
  // Among several names that are alike, the likeliest is for a person to check.
  if (found.is_exact || candidates.length === 1) return found
  return { ...found, confidence: Math.min(found.confidence, ONE_OF_SEVERAL) }
}

export const subjectOf = (customer: PartyReading, index: CompanyIndex): Subject => ({
  ...customer,
  named: byName(customer, index),
})

/** A person has mapped the customer itself. */
// Contract silent: a MANUAL link stays even if the PSA has lost its company.
export const manual: Rung = ({ id }, _index, evidence) => {
  const company_id = evidence.manual.get(id)
  return company_id === undefined ? null : { company_id, confidence: 1 }
}

/** A person mapped the same name in another integration, and nobody mapped it to another company. */
export const learnedManual: Rung = ({ name }, index, { learned }) =>
  onlyOf(learned.companiesOf(name), index, LEARNED)

/** The integration itself names one company. */
export const nativeAdapter: Rung = ({ id }, index, evidence) =>
  onlyOf(evidence.native.get(id) ?? [], index, NATIVE)

/** One company has the same name, however it is written. */
export const exactName: Rung = ({ named }) => (named?.is_exact ? answerOf(named) : null)

/** One company has a name that is alike. */
export const fuzzy: Rung = ({ named }) => (named && !named.is_exact ? answerOf(named) : null)

/** One company has a domain of the customer. */
export const domain: Rung = (customer, index) => {
  const companies = index.withDomain(customer.domains)
  const named = companies.flatMap((company) => compare(customer, company) ?? [])
  const found = onlyBest(named)
  if (found !== null)
    return { company_id: found.company.id, confidence: found.is_doubted ? found.confidence : DOMAIN_AND_NAME }
  const only = onlyActive(companies, ({ is_active }) => is_active)
  return only && { company_id: only.id, confidence: DOMAIN_ALONE }
}

/** The verdict of the model, in which the ladder believes less than what needs no check. */
export const model: Rung = ({ id }, index, evidence) => {
  const verdict = evidence.verdicts.get(id)
  return verdict && index.companyOf(verdict.company_id) ? verdict : null
}

/** One company has most of the customer's devices. */
export const assetOverlap: Rung = ({ asset_names }, _index, { withAssets }) => {
  const shares = withAssets(asset_names)
    .filter(({ shared }) => shared >= LEAST_ASSETS)
    .map(({ company_id, shared, total }) => ({
      company_id,
      confidence: shared / Math.min(asset_names.length, total),
    }))
  const found = onlyBest(shares)
  if (found === null || found.confidence < LEAST_SHARE) return null
  const beyond = (found.confidence - LEAST_SHARE) / (1 - LEAST_SHARE)
  return { ...found, confidence: ASSETS_AT_LEAST + beyond * (ASSETS_AT_MOST - ASSETS_AT_LEAST) }
}
