/**
 * The scalars of the schema. Each has a specification, a JSON Schema that OpenAPI publishes, and `parseValue`, which
 * judges a value for both interfaces. Bounds are no scalars: they stand on the argument or field.
 */
import type { ScalarRef } from '@pothos/core'
import { GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { isStorable } from '../../lib/text.ts'
import { instantText, parseInstant } from '../../lib/time.ts'
import { builder, type SchemaTypes } from '../builder.ts'
import { type StandardScalar, standardScalar } from './standard-scalars.ts'

/** The error of a value that its scalar refuses, with the `code` and `message` of the field error. */
export class InvalidValue extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Scalar<Value> = ScalarRef<SchemaTypes, Value, Value>

interface Definition<Value> {
  description: string
  specified_by: string
  json_schema: Record<string, unknown>
  parse: (value: unknown) => Value
  literals: readonly Kind[]
  serialize?: (value: unknown) => unknown
}

/** The value as text that can be stored. */
function storable(value: unknown): string {
  if (typeof value !== 'string') throw new InvalidValue('type', 'must be text')
  if (!isStorable(value)) throw new InvalidValue('characters', 'must be well-formed text without U+0000')
  return value
}

/** Stored values are answered as they are, even if they would be refused in a request. */
const unchanged = (value: unknown): unknown => value

function scalarType(name: string, definition: Definition<unknown>): GraphQLScalarType {
  const { description, specified_by, json_schema, parse, literals, serialize = unchanged } = definition
  return new GraphQLScalarType({
    name,
    description,
    specifiedByURL: specified_by,
    serialize,
    parseValue: parse,
    parseLiteral(node: ValueNode, variables) {
      if (!literals.includes(node.kind)) throw new InvalidValue('type', `must be ${json_schema.type ?? name}`)
      const value = valueFromASTUntyped(node, variables)
      try {
        return parse(value)
      } catch (error) {
        // It passes validation here, and is refused with all other invalid input, as a variable is.
        if (error instanceof InvalidValue) return value
        throw error
      }
    },
    extensions: { jsonSchema: json_schema },
  })
}

function define<Value>(name: string, definition: Definition<Value>): Scalar<Value> {
  return builder.addScalarType(name as never, scalarType(name, definition)) as unknown as Scalar<Value>
}

const MAX_CURSOR = 2048

export const Cursor = define<string>('Cursor', {
  description:
    'An opaque cursor from `next_cursor`. It belongs to one list with one set of filters, for 24 hours.',
  specified_by: 'https://relay.dev/graphql/connections.htm#sec-Cursor',
  json_schema: { type: 'string', minLength: 1, maxLength: MAX_CURSOR },
  literals: [Kind.STRING],
  parse(value) {
    const cursor = storable(value).trim()
    if (cursor === '' || cursor.length > MAX_CURSOR)
      throw new InvalidValue('length', `must be 1 to ${MAX_CURSOR} characters`)
    return cursor
  },
})

const INSTANT = 'must be an RFC 3339 date-time or date'
const WITHOUT_PLUS = /^(\S+) (\d\d:\d\d)$/

function instantOf(value: unknown): Date {
  const text = typeof value === 'string' ? value : ''
  const instant = parseInstant(text)
  if (instant) return instant
  // In a query string a bare + is a space.
  const isCut = WITHOUT_PLUS.test(text) && parseInstant(text.replace(' ', '+'))
  throw new InvalidValue('format', isCut ? `${INSTANT}; a + in a URL is sent as %2B` : INSTANT)
}

define('DateTime', {
  description:
    'An RFC 3339 instant. Answers are in UTC with milliseconds. In requests any offset is taken; without an ' +
    'offset it is UTC, and a date alone is midnight UTC.',
  specified_by: 'https://www.rfc-editor.org/rfc/rfc3339',
  json_schema: standardScalar('DateTimeISO').json_schema,
  literals: [Kind.STRING],
  parse: instantOf,
  serialize: (value) => instantText(value as Date),
})

const TEXT: readonly Kind[] = [Kind.STRING]

interface Standard {
  /** In place of the standard one. */
  json_schema?: Record<string, unknown>
  description: string
  specified_by: string
  literals: readonly Kind[]
  /** The value in words; without them the rules of requests are those of the field, not of the scalar. */
  expected?: string
}

/** A standard scalar. Values of a request are judged, and taken as they were sent. */
function standard(
  name: StandardScalar & keyof SchemaTypes['Scalars'],
  { expected, literals, ...definition }: Standard,
): void {
  const { accepts, ...standard } = standardScalar(name)
  const { json_schema = standard.json_schema } = definition
  const parse = (value: unknown): unknown => {
    if (literals === TEXT) storable(value)
    if (expected && !accepts(value)) throw new InvalidValue('format', `must be ${expected}`)
    return value
  }
  define(name, { ...definition, literals, json_schema, parse })
}

const RFC = 'https://www.rfc-editor.org/rfc'

standard('EmailAddress', {
  description: 'An e-mail address. One out of another system is answered as that system has it.',
  specified_by: 'https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address',
  literals: TEXT,
  expected: 'an e-mail address',
})
standard('IP', {
  description: 'An IPv4 or IPv6 address.',
  specified_by: `${RFC}/rfc4291`,
  literals: TEXT,
  expected: 'an IPv4 or IPv6 address',
})
standard('JSON', {
  description: 'Any JSON value.',
  specified_by: `${RFC}/rfc8259`,
  literals: Object.values(Kind),
})
standard('LocalDate', {
  description: 'A date without a time zone: `YYYY-MM-DD`.',
  specified_by: `${RFC}/rfc3339#section-5.6`,
  literals: TEXT,
  expected: 'a date, YYYY-MM-DD',
})
standard('NonNegativeFloat', {
  description: 'A number of 0 or more.',
  specified_by: 'https://spec.graphql.org/October2021/#sec-Float',
  literals: [Kind.INT, Kind.FLOAT],
  expected: 'a number of 0 or more',
})
standard('NonNegativeInt', {
  description: 'A whole number of 0 or more.',
  specified_by: 'https://spec.graphql.org/October2021/#sec-Int',
  literals: [Kind.INT],
  expected: 'a whole number of 0 or more',
})
// The contract has 400 invalid_timezone for a zone that the service does not support: the operation answers it.
standard('TimeZone', {
  description:
    'The name of a time zone in the IANA database. A stored one is answered although it may be gone from there.',
  specified_by: 'https://www.iana.org/time-zones',
  json_schema: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$', maxLength: 64 },
  literals: TEXT,
})
standard('URL', {
  description: 'An absolute URL.',
  specified_by: 'https://url.spec.whatwg.org/',
  literals: TEXT,
  expected: 'an absolute URL',
})
