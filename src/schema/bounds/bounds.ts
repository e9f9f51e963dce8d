/** Bounds of arguments and input fields: one definition is judged, described in GraphQL and published in OpenAPI. */
import type { GraphQLArgument, GraphQLInputField } from 'graphql'
import type { ErrorCode } from '../../errors/errors.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'

interface Bounds {
  /** The least number. */
  min?: number
  /** The greatest number. */
  max?: number
  /** The fewest characters. White space around a text with bounds is cut off first. */
  min_length?: number
  max_length?: number
  /** A text must match; `expected` says in words what that means. */
  pattern?: { matches: RegExp; expected: string }
  /** The form of a text that a rule of the operation judges, as OpenAPI has it. */
  form?: string
  /** The fewest items of a list; its other bounds are those of each item. */
  min_items?: number
  /** The most items of a list; 200 unless stated. */
  max_items?: number
  /** null is accepted, and clears a stored value. By default it is refused: leave the field out to keep the value. */
  nullable?: true
  /** Required although null is accepted, which a GraphQL type cannot express. */
  must_be_given?: true
  /** Refused by the operation, whatever is given. */
  read_only?: true
  /** The code for a path with a text that is no whole number: such an id is unknown. */
  unknown?: ErrorCode
  /** The body is judged by rules of the operation. */
  own_rules?: OwnRules
}

/**
 * Rules by which an operation judges its `input` itself. REST hands the body over as it was sent (`sentBody`), and
 * OpenAPI documents what each field can be. In GraphQL only the types are judged before.
 */
export interface OwnRules {
  documented(): DocumentedBody
}

/** A body as OpenAPI documents it: an object with fields of the `input`, or one of several. */
export type DocumentedBody = DocumentedObject | DocumentedUnion

export interface DocumentedObject {
  /** The name of its schema. */
  name: string
  description: string
  /** The fields that it has, with what each can be by itself. `input` describes them, and all that is in them. */
  properties: Readonly<Record<string, JsonSchema>>
  required: readonly string[]
}

export interface DocumentedUnion {
  name: string
  description: string
  bodies: readonly DocumentedBody[]
  /** The field whose constant tells the bodies apart. Without one a value may be several of them. */
  told_apart_by?: string
}

declare global {
  namespace PothosSchemaTypes {
    interface InputFieldOptions<Types, Type, Req> extends Bounds {}
  }
}

const MAX_ITEMS = 200

/** The bounds of `search`, as every list takes it. */
export const SEARCH = { min_length: 1, max_length: 200 } as const

/** The bounds of an argument or input field of a built schema. */
export const boundsOf = ({ extensions }: GraphQLArgument | GraphQLInputField): Bounds =>
  (extensions.pothosOptions ?? {}) as Bounds

/** The fewest and the most items of a list. */
export const itemBounds = ({ min_items = 0, max_items = MAX_ITEMS }: Bounds) => ({ min_items, max_items })

/** White space around it does not count, and is cut off before a resolver sees it. */
export const isTrimmed = ({ min_length, max_length, pattern }: Bounds): boolean =>
  min_length !== undefined || max_length !== undefined || pattern !== undefined

const written = (value: number): string => value.toLocaleString('en-US')

/** `1 to 200`, `at least 1`, `at most 200`; null without bounds. */
function range(min: number | undefined, max: number | undefined): string | null {
  if (min !== undefined && max !== undefined) return `${written(min)} to ${written(max)}`
  if (min !== undefined) return `at least ${written(min)}`
  return max === undefined ? null : `at most ${written(max)}`
}

/** The bounds of the length in words. A minimum of 0 is not mentioned. */
const lengths = ({ min_length, max_length }: Bounds): string | null =>
  range(min_length || undefined, max_length)

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The bounds in words, as descriptions end with them; empty if there are none. */
export function boundsInWords(bounds: Bounds): string {
  const { min, max, min_items, max_items, must_be_given, pattern } = bounds
  const items = range(min_items || undefined, max_items)
  const characters = lengths(bounds)
  const sentences = [
    range(min, max),
    characters && `${characters} characters`,
    pattern && `must be ${pattern.expected}`,
    items && `${items} ${items === 'at least 1' ? 'item' : 'items'}`,
    must_be_given && 'must be given, be it null',
  ]
  return sentences.flatMap((sentence) => (sentence ? [`${capitalized(sentence)}.`] : [])).join(' ')
}

export interface BoundsProblem {
  code: 'range' | 'length' | 'format'
  message: string
}

/** The reason why a number or text does not fit; null if it fits. */
export function problemWith(value: unknown, bounds: Bounds): BoundsProblem | null {
  if (typeof value === 'number') {
    const { min = -Infinity, max = Infinity } = bounds
    if (value >= min && value <= max) return null
    return { code: 'range', message: `must be ${range(bounds.min, bounds.max)}` }
  }
  if (typeof value !== 'string' || !isTrimmed(bounds)) return null
  const { min_length = 0, max_length = Infinity, pattern } = bounds
  const text = value.trim()
  const length = [...text].length
  if (length < min_length || length > max_length)
    return { code: 'length', message: `must be ${lengths(bounds)} characters` }
  if (pattern && !pattern.matches.test(text))
    return { code: 'format', message: `must be ${pattern.expected}` }
  return null
}

/** The keywords of JSON Schema that say the same of a value that is no list. */
export function boundsSchema({
  min,
  max,
  min_length,
  max_length,
  pattern,
  form = pattern?.matches.source,
}: Bounds): Record<string, unknown> {
  return {
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(min_length !== undefined && { minLength: min_length }),
    ...(max_length !== undefined && { maxLength: max_length }),
    ...(form && { pattern: form }),
  }
}
