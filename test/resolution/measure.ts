/** Precision and recall of the resolution ladder on labelled pairs of names, beside those of a plain baseline. */
import { resolveAll } from '../../src/areas/company-links/resolution/ladder.ts'
import { REVIEW_BELOW } from '../../src/areas/company-links/rules.ts'
import heldOut from './held-out.json' with { type: 'json' }
import reported from './reported.json' with { type: 'json' }
import tuned from './tuned.json' with { type: 'json' }

/** A customer and a company: `Name @domain`. */
type Texts = readonly string[]
type Labelled = Record<string, { same: readonly Texts[]; different: readonly Texts[] }>

export interface Pair {
  kind: string
  customer: string
  company: string
  is_same: boolean
}

const pairsOf = (labelled: Labelled): Pair[] =>
  Object.entries(labelled).flatMap(([kind, { same, different }]) =>
    [same, different].flatMap((pairs, at) =>
      pairs.map(([customer = '', company = '']) => ({ kind, customer, company, is_same: at === 0 })),
    ),
  )

/** The half on which the constants of the rungs were tuned, and the half on which they were not. */
export const HALVES = { tuned: pairsOf(tuned), 'held out': pairsOf(heldOut) } as const

/** A customer of a public report. right: its company, or null; flagged: a person must check the link. */
interface Reported {
  customer: string
  companies: readonly string[]
  right: string | null
  flagged?: boolean
  why: string
}

export const REPORTED: readonly Reported[] = reported

const partyOf = (id: string, text: string) => {
  const [name = '', ...domains] = text.split(/ @(?=\S)/)
  return { id, name, domains, asset_names: [] }
}

/** The ladder's confidence that the two are one; 0 if it does not say so. */
export const ladderScore = ({ customer, company }: Pair): number =>
  resolveAll({ customers: [partyOf('customer', customer)], companies: [partyOf('company', company)] })[0]
    ?.confidence ?? 0

/** The company that the ladder finds for a customer among the companies, all by name. */
export function foundAmong(
  customer: string,
  companies: readonly string[],
): { company: string | null; confidence: number; flagged: boolean } {
  const [found] = resolveAll({
    customers: [partyOf('customer', customer)],
    companies: companies.map((name) => partyOf(name, name)),
  })
  return found
    ? { company: found.company_id, confidence: found.confidence, flagged: found.flagged }
    : { company: null, confidence: 0, flagged: false }
}

const trigrams = (text: string): Set<string> => {
  const padded = `  ${text.split(/ @(?=\S)/)[0]?.toLowerCase() ?? ''} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))
}

/** The share of the trigrams of both that they have in common. */
export const trigramScore = ({ customer, company }: Pair): number => {
  const [a, b] = [trigrams(customer), trigrams(company)]
  return a.intersection(b).size / a.union(b).size
}

export interface Quality {
  precision: number
  recall: number
  /** Different companies that were taken for one. */
  wrong: number
  /** The same companies that were not found. */
  missed: number
}

export function qualityOf(pairs: readonly Pair[], score: (pair: Pair) => number, least: number): Quality {
  const same = pairs.filter(({ is_same }) => is_same)
  const taken = pairs.filter((pair) => score(pair) >= least)
  const right = taken.filter(({ is_same }) => is_same).length
  return {
    precision: taken.length === 0 ? 1 : right / taken.length,
    recall: right / same.length,
    wrong: taken.length - right,
    missed: same.length - right,
  }
}

const THRESHOLDS = Array.from({ length: 101 }, (_, percent) => percent / 100)

/** The threshold at which the most pairs are judged rightly. */
export const bestThreshold = (pairs: readonly Pair[], score: (pair: Pair) => number): number => {
  const errors = THRESHOLDS.map((least) => {
    const { wrong, missed } = qualityOf(pairs, score, least)
    return wrong + missed
  })
  return THRESHOLDS[errors.indexOf(Math.min(...errors))] as number
}

/** Without a check by a person. */
export const CERTAIN = REVIEW_BELOW
/** A link is made, and is for a person to check. */
export const LISTED = 0.5
