/** The rule that a caller’s fields make, checked against the tenant’s technicians and the rules of conditions. */
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { ticketConditions } from '../../agents/index.ts'
import { presentTechnicians, unknownTechnicians } from '../../technicians/index.ts'
import type { RuleRow } from './rule.ts'
import { type Content, contentOf, type Given, newCandidates } from './rules.ts'

/** The content of the rule; 422 with all problems. A candidate whom the stored rule has is not asked for again. */
export async function checkedContent(
  ctx: Context,
  given: Given,
  stored: RuleRow | null = null,
): Promise<Content> {
  const known = stored?.candidate_technician_ids ?? []
  const added = newCandidates(given, known)
  const present = added.length > 0 ? await presentTechnicians(ctx, added) : []
  const judged = given.conditions ? ticketConditions(given.conditions) : null
  const problems = [
    ...(judged?.problems ?? []).map(({ field, code, message }) => bodyProblem(field, code, message)),
    ...unknownTechnicians(
      'candidate_technician_ids',
      given.candidate_technician_ids ?? [],
      new Set([...known, ...present]),
    ),
  ]
  if (problems.length > 0) throw invalid(problems)
  const conditions = judged ? judged.conditions : given.conditions
  return contentOf({ ...given, conditions }, stored ? (stored as Content) : undefined)
}
