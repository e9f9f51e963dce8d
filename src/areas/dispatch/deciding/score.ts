/** The score of a technician for a ticket, and the reasons for it in words. */
import type { Candidate, Parts } from '../decision.ts'

/** A technician, as far as the score goes. */
export interface TechnicianFacts {
  technician_id: number
  name: string
  skills: readonly string[]
  is_ready: boolean
  available_now: boolean
  /** null: the technician is at work, or never is. */
  next_available_at: Date | null
  open_tickets: number
  /** True if the technician had a ticket of the company in the last 90 days. */
  knows_company: boolean
}

/** The conditions of a decision. */
export interface Terms {
  required_skills: readonly string[]
  only_ready_technicians: boolean
  respect_schedules: boolean
  max_open_tickets_per_technician: number | null
}

// Contract silent: the weights of the parts. Each part is of the technician alone, so that no other candidate changes it.
const WEIGHTS: Parts = { skills: 0.4, load: 0.3, availability: 0.2, familiarity: 0.1 }

/** The open tickets with which `load` is a half. */
const HALF_LOAD = 10

const DAY_MS = 86_400_000

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

const comparable = (skill: string): string => skill.trim().toLowerCase()

/** The required skills that the technician lacks. */
function lackedBy({ skills }: TechnicianFacts, { required_skills }: Terms): string[] {
  const known = new Set(skills.map(comparable))
  return required_skills.filter((skill) => !known.has(comparable(skill)))
}

function availabilityOf({ available_now, next_available_at }: TechnicianFacts, now: Date): number {
  if (available_now) return 1
  if (next_available_at === null) return 0
  return 0.5 * Math.max(0, 1 - (next_available_at.getTime() - now.getTime()) / DAY_MS)
}

function partsOf(technician: TechnicianFacts, terms: Terms, lacked: number, now: Date): Parts {
  const required = terms.required_skills.length
  return {
    skills: rounded(required === 0 ? 1 : (required - lacked) / required),
    load: rounded(1 / (1 + technician.open_tickets / HALF_LOAD)),
    availability: rounded(availabilityOf(technician, now)),
    familiarity: technician.knows_company ? 1 : 0,
  }
}

/** The reasons for which the technician is left out; none for a technician who fits. */
function againstOf(technician: TechnicianFacts, terms: Terms, lacked: readonly string[]): string[] {
  const { is_ready, available_now, open_tickets } = technician
  const { only_ready_technicians, respect_schedules, max_open_tickets_per_technician: most } = terms
  return [
    ...(lacked.length > 0 ? [`Lacks required skills: ${lacked.join(', ')}.`] : []),
    ...(only_ready_technicians && !is_ready ? ['Not ready: agents may not work with the technician.'] : []),
    ...(respect_schedules && !available_now ? ['Not at work now.'] : []),
    ...(most !== null && open_tickets >= most ? [`At the limit of ${most} open tickets.`] : []),
  ]
}

const numbered = (tickets: number): string =>
  tickets === 1 ? '1 open ticket.' : `${tickets === 0 ? 'No' : tickets} open tickets.`

function nextOf({ available_now, next_available_at }: TechnicianFacts): string {
  if (available_now) return 'At work now.'
  return next_available_at === null ? 'Never at work.' : `Next at work at ${next_available_at.toISOString()}.`
}

/** The reasons for the score of a technician who fits. */
const forOf = (technician: TechnicianFacts, { required_skills }: Terms): string[] => [
  ...(required_skills.length > 0 ? [`Has the required skills: ${required_skills.join(', ')}.`] : []),
  numbered(technician.open_tickets),
  nextOf(technician),
  ...(technician.knows_company ? ['Had tickets of the company in the last 90 days.'] : []),
]

/** The technician as a candidate. The score is 0 for a technician who is left out, and above 0 for everybody else. */
export function candidateOf(technician: TechnicianFacts, terms: Terms, now: Date): Candidate {
  const { technician_id, name, available_now, open_tickets } = technician
  const lacked = lackedBy(technician, terms)
  const against = againstOf(technician, terms, lacked)
  const parts = partsOf(technician, terms, lacked.length, now)
  const names = Object.keys(WEIGHTS) as (keyof Parts)[]
  const sum = names.reduce((total, part) => total + WEIGHTS[part] * parts[part], 0)
  const fits = against.length === 0
  return {
    technician_id,
    name,
    score: fits ? rounded(sum) : 0,
    parts,
    available_now,
    open_tickets,
    reasons: fits ? forOf(technician, terms) : against,
  }
}
