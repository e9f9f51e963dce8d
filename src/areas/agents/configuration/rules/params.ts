/** The arguments of actions, validated by the input schemas of their tools. */
import { isObject } from '../../../../lib/is-object.ts'
import { type SchemaError, schemaErrorsOf } from '../../../../lib/json-schema.ts'
import { toolNamed } from '../../../../tools/registry.ts'
import { chosenSchemaOf } from '../../../../tools/secret-arguments.ts'
import type { Tool } from '../../../../tools/tool.ts'
import { cleaned } from './cleaning.ts'
import { distinct, type FieldProblem, inWords } from './schema-problems.ts'

/** The arguments that an action takes from what the agent works on, if they are left out. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  TICKET: ['ticket_id', 'company_id', 'contact_id'],
  TIME_ENTRY: ['time_entry_id', 'technician_id', 'ticket_id', 'company_id', 'contact_id'],
}

const validators = new Map<string, (params: unknown) => SchemaError[]>()

/** The errors in the arguments that are there: what is left out may be found when the action is made. */
function errorsIn(called: Tool, params: unknown): SchemaError[] {
  const { name } = called
  const { required: _, ...schema } = chosenSchemaOf(called)
  const validate = validators.get(name) ?? schemaErrorsOf(schema)
  validators.set(name, validate)
  return validate(params)
}

const missingIn = (called: Tool, params: object, given: readonly string[]): string[] =>
  (chosenSchemaOf(called).required as readonly string[]).filter(
    (name) => !Object.hasOwn(params, name) && !given.includes(name),
  )

interface ValidatedActions {
  actions: unknown[]
  problems: FieldProblem[]
  warnings: string[]
}

// Contract silent: arguments that do not fit their tool are refused; one that the tool does not have is ignored, as other
// fields are; and of one that it requires and nothing gives there is a warning, since a draft may be finished later.
/** Validates the arguments by their tools; those that no tool has go to `ignored`. What is no action is refused elsewhere. */
export function validatedActions(
  actions: readonly unknown[],
  entity_type: unknown,
  ignored: string[],
): ValidatedActions {
  const given = GIVEN[String(entity_type)] ?? []
  const validated: ValidatedActions = { actions: [], problems: [], warnings: [] }
  for (const [index, action] of actions.entries()) {
    const { type, params } = isObject(action) ? action : {}
    const tool = typeof type === 'string' ? toolNamed(type) : undefined
    if (!tool || !isObject(action) || !isObject(params)) {
      validated.actions.push(action)
      continue
    }
    const path = `actions.${index}.params`
    const kept = cleaned(chosenSchemaOf(tool), params, path, ignored)
    validated.actions.push({ ...action, params: kept })
    for (const error of errorsIn(tool, kept))
      validated.problems.push({
        field: `${path}.${error.path}`,
        code: 'action_params_invalid',
        message: inWords(error),
      })
    for (const name of missingIn(tool, params, given))
      validated.warnings.push(`action_param_missing: ${path}.${name}`)
  }
  return { ...validated, problems: distinct(validated.problems) }
}
