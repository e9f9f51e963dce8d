/** Judges the arguments of tool calls by the input schemas of their tools. */
import { type SchemaError, schemaErrorsOf } from '../lib/json-schema.ts'
import type { Tool } from './tool.ts'

const validators = new Map<string, (args: unknown) => SchemaError[]>()

/** The paths of arguments that are missing or do not fit the tool. */
export function misfits({ name, input_schema }: Tool, args: unknown): string[] {
  const validate = validators.get(name) ?? schemaErrorsOf(input_schema)
  validators.set(name, validate)
  return [...new Set(validate(args).map(({ path }) => path || 'the arguments'))]
}
