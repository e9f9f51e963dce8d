/** Conditions on tickets that something else than an agent has: they are judged by the rules of `ticket_conditions`. */
import type { JsonSchema } from '../../../../lib/json-schema.ts'
import { conditionsFields } from '../../conditions/rules/conditions.ts'
import { cleaned, storageFlaws } from './cleaning.ts'
import { type FieldProblem, problemsWith } from './schema-problems.ts'

const CONDITIONS: JsonSchema = { type: 'object', properties: conditionsFields('ticket_conditions') }

const problemsOf = problemsWith({ type: 'object', properties: { conditions: CONDITIONS } })

/** The conditions as they are stored, and the problems with them, whose fields begin with `conditions`. */
export function ticketConditions(given: object): { conditions: object; problems: FieldProblem[] } {
  // An input of GraphQL has no prototype.
  const conditions: object = JSON.parse(JSON.stringify(given))
  return {
    conditions: cleaned(CONDITIONS, conditions, 'conditions', []) as object,
    problems: [...problemsOf({ conditions }), ...storageFlaws(conditions, 'conditions')],
  }
}
