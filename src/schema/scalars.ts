/**
 * Scalars with bounds. One definition serves GraphQL, the REST binder and OpenAPI: `parseValue` judges the
 * value, `extensions.json_schema` describes it.
 */
import type { ScalarRef } from '@pothos/core'
import { GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { idOrNone } from '../lib/ids.ts'
import { isStorable } from '../lib/text.ts'
import { parseInstant } from '../lib/time.ts'
import { builder, type SchemaTypes } from './builder.ts'

/** Why a value does not fit, for `field_errors`. */
export class Unfit extends Error {
  readonly problem: string

  constructor(problem: string, message: string) {
    super(message)
    this.problem = problem
  }
}

type Scalar<Value> = ScalarRef<SchemaTypes, Value, Value>

interface Definition<Value> {
  description: string
  json_schema: Record<string, unknown>
  parse: (value: unknown) => Value
  literals: readonly Kind[]
  serialize?: (value: unknown) => unknown
}

function scalarType(name: string, definition: Definition<unknown>): GraphQLScalarType {
  const { description, json_schema, parse, literals, serialize = (value) => value } = definition
  return new GraphQLScalarType({
    name,
    description,
    serialize,
    parseValue: parse,
    parseLiteral(node: ValueNode) {
      if (!literals.includes(node.kind)) throw new Unfit('type', `must be ${json_schema.type}`)
      return parse(valueFromASTUntyped(node))
    },
    extensions: { json_schema },
  })
}

function define<Value>(name: string, definition: Definition<Value>): Scalar<Value> {
  return builder.addScalarType(name as never, scalarType(name, definition)) as unknown as Scalar<Value>
}

/** Whole numbers from `min` to `max`. */
export function boundedInt(name: string, min: number, max: number, description: string): Scalar<number> {
  return define(name, {
    description,
    json_schema: { type: 'integer', minimum: min, maximum: max },
    literals: [Kind.INT],
    parse(value) {
      if (typeof value !== 'number' || !Number.isInteger(value))
        throw new Unfit('type', 'must be a whole number')
      if (value < min || value > max) throw new Unfit('range', `must be ${min} to ${max}`)
      return value
    },
  })
}

interface TextBounds {
  min?: number
  max: number
  description: string
  /** The text must match; `expected` says in words what that means. */
  pattern?: { matches: RegExp; expected: string }
  format?: string
}

/** Text of `min` to `max` characters, counted after white space around it is cut off. */
export function boundedText(
  name: string,
  { min = 0, max, description, pattern, format }: TextBounds,
): Scalar<string> {
  return define(name, {
    description,
    json_schema: {
      type: 'string',
      minLength: min,
      maxLength: max,
      ...(pattern && { pattern: pattern.matches.source }),
      ...(format && { format }),
    },
    literals: [Kind.STRING],
    parse(value) {
      if (typeof value !== 'string') throw new Unfit('type', 'must be text')
      if (!isStorable(value)) throw new Unfit('characters', 'must be well-formed text without U+0000')
      const text = value.trim()
      const length = [...text].length
      if (length < min || length > max) throw new Unfit('length', `must be ${min} to ${max} characters`)
      if (pattern && !pattern.matches.test(text)) throw new Unfit('format', `must be ${pattern.expected}`)
      return text
    },
  })
}

// Contract silent: an id that could not be stored is answered as one that does not exist.
/** An id that somebody names. What cannot be an id is simply the id of nothing. */
export const Id = define<string>('Id', {
  description: 'An opaque identifier. One that cannot exist is answered as one that does not.',
  json_schema: { type: 'string' },
  literals: [Kind.STRING],
  parse(value) {
    if (typeof value !== 'string') throw new Unfit('type', 'must be text')
    return idOrNone(value)
  },
})

/** An id that is a whole number, as text: `numberOf` reads it. What cannot be one is the id of nothing. */
export const IntegerId = define<string>('IntegerId', {
  description:
    'The whole number that identifies something. One that cannot exist is answered as one that does not.',
  json_schema: { type: 'integer' },
  literals: [Kind.INT, Kind.STRING],
  parse(value) {
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Unfit('type', 'must be a whole number')
    return idOrNone(String(value))
  },
})

export const PageSize = boundedInt('PageSize', 1, 200, 'Items on one page: 1 to 200.')

export const Cursor = boundedText('Cursor', {
  min: 1,
  max: 2048,
  description:
    'An opaque cursor from `next_cursor`. It belongs to one list with one set of filters, for 24 hours.',
})

export const SearchText = boundedText('SearchText', {
  min: 1,
  max: 200,
  description: 'What to look for: 1 to 200 characters, anywhere in the text, in any letter case.',
})

export const Anything = define<unknown>('Anything', {
  description: 'Any JSON value, for fields that are never read.',
  json_schema: {},
  literals: Object.values(Kind),
  parse: (value) => value,
})

const INSTANT = 'must be an RFC 3339 date-time or date'
const WITHOUT_PLUS = /^(\S+) (\d\d:\d\d)$/

function instantOf(value: unknown): Date {
  const text = typeof value === 'string' ? value : ''
  const instant = parseInstant(text)
  if (instant) return instant
  // In a query string a bare + is a space.
  const isCut = WITHOUT_PLUS.test(text) && parseInstant(text.replace(' ', '+'))
  throw new Unfit('format', isCut ? `${INSTANT}; a + in a URL is sent as %2B` : INSTANT)
}

builder.addScalarType(
  'DateTime',
  scalarType('DateTime', {
    description:
      'An RFC 3339 instant. Answers are in UTC with milliseconds. In requests any offset is taken; without an ' +
      'offset it is UTC, and a date alone is midnight UTC.',
    json_schema: { type: 'string', format: 'date-time' },
    literals: [Kind.STRING],
    parse: instantOf,
    serialize: (value) => (value as Date).toISOString(),
  }) as GraphQLScalarType<Date, Date>,
)

builder.addScalarType(
  'JSON',
  scalarType('JSON', {
    description: 'Free-form JSON.',
    json_schema: {},
    literals: [],
    parse() {
      throw new Unfit('type', 'cannot be sent')
    },
  }) as GraphQLScalarType<never, unknown>,
)
