/** The errors of a body with its JSON Schema, with the codes of the list of rules. */
import { type JsonSchema, type SchemaError, schemaErrorsOf } from '../../../../lib/json-schema.ts'
import type { Flaw } from './cleaning.ts'

export interface FieldProblem extends Flaw {
  depth?: number
}

/** The codes of keywords whose schema has no `x-codes` of its own for them. */
const CODES: Readonly<Record<string, string>> = {
  type: 'type_invalid',
  enum: 'value_not_allowed',
  const: 'value_not_allowed',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  maxLength: 'too_long',
  maxItems: 'too_long',
  required: 'field_required',
  minItems: 'field_required',
}

type OwnCodes = Readonly<Record<string, string | Readonly<Record<string, string>>>>

function codeOf({ keyword, schema, missing }: SchemaError): string {
  const own = (schema['x-codes'] as OwnCodes | undefined)?.[keyword]
  const code = typeof own === 'object' ? own[missing ?? ''] : own
  return code ?? CODES[keyword] ?? 'value_not_allowed'
}

const DEPTH = 1

function nestedMessage(path: string): string {
  const name = path.split('.').at(-1)
  return `${path} is a config object inside another one, at depth ${DEPTH}: ${name} belongs at the top of the body`
}

const LISTED = 12

function listed(words: unknown): string {
  const all = [words].flat()
  const more = all.length - LISTED
  return more > 0 ? `${all.slice(0, LISTED).join(', ')} … (${more} more)` : all.join(', ')
}

const MESSAGES: Readonly<Record<string, (schema: JsonSchema) => string>> = {
  type: ({ type }) => `must be of the type ${[type].flat().join(' or ')}`,
  enum: ({ enum: words }) => `must be one of ${listed(words)}`,
  const: ({ const: word }) => `must be ${word}`,
  minimum: ({ minimum, maximum }) => `must be ${minimum} to ${maximum}`,
  maximum: ({ minimum, maximum }) => `must be ${minimum} to ${maximum}`,
  maxLength: ({ maxLength }) => `must be at most ${maxLength} characters`,
  maxItems: ({ maxItems }) => `must have at most ${maxItems} items`,
  minItems: () => 'must have an item',
  required: () => 'is required',
  pattern: () => 'must not be empty',
  minLength: () => 'must not be empty',
}

/** The problem in words. */
export const inWords = ({ keyword, schema }: SchemaError): string =>
  MESSAGES[keyword]?.(schema) ?? 'does not fit'

function problemOf(error: SchemaError): FieldProblem {
  const { path: field } = error
  const code = codeOf(error)
  if (code === 'config_object_nested') return { field, code, message: nestedMessage(field), depth: DEPTH }
  return { field, code, message: inWords(error) }
}

/** Each problem once. */
export function distinct(problems: readonly FieldProblem[]): FieldProblem[] {
  const seen = new Set<string>()
  return problems.filter(({ field, code }) => {
    const key = `${code} ${field}`
    return !seen.has(key) && seen.add(key)
  })
}

/** The problems of bodies with the schema. */
export function problemsWith(schema: JsonSchema): (body: unknown) => FieldProblem[] {
  const errorsOf = schemaErrorsOf(schema)
  return (body) => distinct(errorsOf(body).map(problemOf))
}
