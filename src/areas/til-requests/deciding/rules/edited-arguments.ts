/** The arguments that a technician changes before approving must be ones that the tool takes. */
import { bodyProblem, type FieldError } from '../../../../errors/errors.ts'
import { type SchemaError, schemaErrorsOf } from '../../../../lib/json-schema.ts'
import { chosenSchemaOf } from '../../../../tools/secret-arguments.ts'
import type { Tool } from '../../../../tools/tool.ts'

const validators = new Map<string, ReturnType<typeof schemaErrorsOf>>()

function errorsOf(tool: Tool): (value: unknown) => SchemaError[] {
  const known = validators.get(tool.name) ?? schemaErrorsOf(chosenSchemaOf(tool))
  validators.set(tool.name, known)
  return known
}

const FIELD = 'edited_arguments'

/** The problems of the arguments with the input schema of the tool. */
export const editProblems = (tool: Tool, args: unknown): FieldError[] =>
  errorsOf(tool)(args).map(({ path, keyword, missing }) =>
    bodyProblem(
      path === '' ? FIELD : `${FIELD}.${path}`,
      missing === null ? keyword : 'required',
      missing === null ? `does not meet the ${keyword} of the tool’s input schema` : 'is required',
    ),
  )
