/** Compares the arguments of tool calls with the input schemas of their tools. */
import { type SchemaError, schemaErrorsOf } from '../lib/json-schema.ts'
import { chosenSchemaOf } from './secret-arguments.ts'
import type { Tool } from './tool.ts'

const validators = new Map<string, (args: unknown) => SchemaError[]>()

/** The errors of the arguments by the input schema of the tool. */
export function argumentErrors(tool: Tool, args: unknown): SchemaError[] {
  const validate = validators.get(tool.name) ?? schemaErrorsOf(chosenSchemaOf(tool))
  validators.set(tool.name, validate)
  return validate(args)
}

/** The paths of arguments that are missing or do not fit the tool. */
export const invalidArguments = (tool: Tool, args: unknown): string[] => [
  ...new Set(argumentErrors(tool, args).map(({ path }) => path || 'the arguments')),
]
