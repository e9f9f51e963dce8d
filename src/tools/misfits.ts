/** Judges the arguments of tool calls by the input schemas of their tools. */
import { type SchemaError, schemaErrorsOf } from '../lib/json-schema.ts'
import { chosenSchemaOf } from './secret-arguments.ts'
import type { Tool } from './tool.ts'

const validators = new Map<string, (args: unknown) => SchemaError[]>()

/** The paths of arguments that are missing or do not fit the tool. */
export function misfits(tool: Tool, args: unknown): string[] {
  const validate = validators.get(tool.name) ?? schemaErrorsOf(chosenSchemaOf(tool))
  validators.set(tool.name, validate)
  return [...new Set(validate(args).map(({ path }) => path || 'the arguments'))]
}
