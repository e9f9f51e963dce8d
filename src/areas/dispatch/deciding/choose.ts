/** The rule of dispatch: which of the technicians gets a ticket, and why. */
import { type Candidate, MOST_CANDIDATES } from '../decision.ts'
import { candidateOf, type TechnicianFacts, type Terms } from './score.ts'

type Strategy = 'BEST_FIT' | 'ROUND_ROBIN'

export interface Question extends Terms {
  strategy: Strategy
  /** The technician who is chosen if nobody fits. null: nobody is. */
  fallback: { technician_id: number; name: string } | null
  /** The name of the rule that gave the pool. null: none did. */
  rule_name: string | null
}

/** A technician of the pool. */
export interface PoolMember extends TechnicianFacts {
  /** The higher, the later the technician was chosen. null: never. */
  turn: bigint | null
}

export interface Choice {
  candidates: Candidate[]
  chosen_technician_id: number | null
  explanation: string
}

/** By score, the highest first, then by open tickets, then by id. */
const byFit = (one: Candidate, other: Candidate): number =>
  other.score - one.score || one.open_tickets - other.open_tickets || one.technician_id - other.technician_id

/** The candidate who was chosen longest ago; of several who never were, the best. */
function nextInTurn(
  fitting: readonly Candidate[],
  turns: ReadonlyMap<number, bigint | null>,
): Candidate | null {
  let next: Candidate | null = null
  const turnOf = ({ technician_id }: Candidate): bigint => turns.get(technician_id) ?? -1n
  for (const candidate of fitting) if (next === null || turnOf(candidate) < turnOf(next)) next = candidate
  return next
}

const poolOf = (rule_name: string | null): string =>
  rule_name === null ? 'among all technicians' : `by the rule “${rule_name}”`

function explained({ name, score, reasons }: Candidate, { strategy, rule_name }: Question): string {
  const why = strategy === 'ROUND_ROBIN' ? 'was chosen longest ago of those who fit' : 'fits best'
  return `${name} ${why} ${poolOf(rule_name)}: score ${score}. ${reasons.join(' ')}`
}

const nobody = (candidates: readonly Candidate[], { rule_name }: Question): string =>
  candidates.length === 0
    ? `There is no technician ${poolOf(rule_name)}.`
    : `Nobody of ${candidates.length} fits ${poolOf(rule_name)}.`

/** The best candidates, with the chosen one in any case. */
function keptOf(all: readonly Candidate[], chosen: Candidate | null): Candidate[] {
  const kept = all.slice(0, MOST_CANDIDATES)
  return chosen === null || kept.includes(chosen) ? kept : [...kept.slice(0, -1), chosen]
}

/** The choice among the technicians: the same facts, in whatever order, give the same answer. */
export function choose(pool: readonly PoolMember[], question: Question, now: Date): Choice {
  const all = pool.map((technician) => candidateOf(technician, question, now)).sort(byFit)
  const fitting = all.filter(({ score }) => score > 0)
  const turns = new Map(pool.map(({ technician_id, turn }) => [technician_id, turn]))
  const chosen = question.strategy === 'ROUND_ROBIN' ? nextInTurn(fitting, turns) : (fitting[0] ?? null)
  const candidates = keptOf(all, chosen)
  if (chosen)
    return {
      candidates,
      chosen_technician_id: chosen.technician_id,
      explanation: explained(chosen, question),
    }
  const { fallback } = question
  const reason = nobody(all, question)
  if (!fallback) return { candidates, chosen_technician_id: null, explanation: reason }
  const explanation = `${reason} ${fallback.name} is the fallback.`
  return { candidates, chosen_technician_id: fallback.technician_id, explanation }
}
