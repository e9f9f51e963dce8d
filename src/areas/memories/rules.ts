/** The rules of memories. */
import { bodyProblem, type FieldError } from '../../errors/errors.ts'
import { daysBefore } from '../../lib/time.ts'

/** Days for which a deleted memory can be restored. */
export const RESTORABLE_DAYS = 30

/** The instant before which memories that were deleted are gone. */
export const goneBefore = (now: Date): Date => daysBefore(now, RESTORABLE_DAYS)

/** The problem of audiences in which ALL does not stand alone. */
export function audienceProblems(audiences: readonly string[]): FieldError[] {
  if (!audiences.includes('ALL') || audiences.every((audience) => audience === 'ALL')) return []
  return [bodyProblem('audiences', 'exclusive', 'has ALL, which stands alone')]
}

/** Everything but the tenant itself has an id, and the tenant has none. */
export function scopeProblems(scope_type: string, scope_id: string | null): FieldError[] {
  if (scope_type === 'TENANT')
    return scope_id === null ? [] : [bodyProblem('scope_id', 'exclusive', 'is null if scope_type is TENANT')]
  return scope_id === null
    ? [bodyProblem('scope_id', 'required', `is the id of what is a ${scope_type}`)]
    : []
}

const LARGEST_ID = 2_147_483_647

/** The ids of agents. A text that no agent's id can be becomes 0, which no agent has. */
export const agentIds = (ids: readonly string[]): number[] =>
  ids.map((id) => (/^[1-9]\d{0,9}$/.test(id) && Number(id) <= LARGEST_ID ? Number(id) : 0))

/** The problem with each id that is not among those of the agents that the caller sees. */
export const agentProblems = (asked: readonly number[], seen: ReadonlySet<number>): FieldError[] =>
  asked.flatMap((id, index) =>
    seen.has(id)
      ? []
      : [bodyProblem(`restricted_to_agent_ids.${index}`, 'unknown', 'is no agent that you see')],
  )

/** The confidence of a memory that was confirmed. */
export const confirmedConfidence = (confidence: number): number => Math.max(confidence, 0.95)

interface Statement {
  derivation: string
  confidence: number | null
  by_person: boolean
}

/** The confidence of a new memory: 1 for a fact that a person stated. */
// Contract silent: the others have 0.8 if the caller gives none.
export const newConfidence = ({ derivation, confidence, by_person }: Statement): number =>
  derivation === 'STATED' && by_person ? 1 : (confidence ?? 0.8)
