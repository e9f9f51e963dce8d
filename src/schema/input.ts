/** Judges input against the schema, for both interfaces: every problem with its path, before anything runs. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { FieldError } from '../errors.ts'
import { didYouMean, meant } from '../lib/meant.ts'
import { isStorable } from '../lib/text.ts'
import { Unfit } from './scalars.ts'

const MAX_LIST = 200

declare global {
  namespace PothosSchemaTypes {
    interface InputObjectFieldOptions<Types, Type, Req> {
      /** null is none, and empties a stored value. Elsewhere it is refused: leave the field out to keep the value. */
      clearable?: true
    }
    interface InputFieldOptions<Types, Type, Req> {
      /** The most items a list may have; 200 unless stated. */
      max_items?: number
      /** The fewest items a list may have; 0 unless stated. */
      min_items?: number
    }
  }
}

interface Bounds {
  clearable?: true
  max_items?: number
  min_items?: number
}

/** The bounds that GraphQL's own types cannot say. */
export const boundsOf = (
  input: GraphQLArgument | GraphQLInputField,
): Required<Omit<Bounds, 'clearable'>> & Bounds => {
  const options = (input.extensions.pothosOptions ?? {}) as Bounds
  return { ...options, max_items: options.max_items ?? MAX_LIST, min_items: options.min_items ?? 0 }
}

type Location = FieldError['location']

/** The number of ignored fields that are named to callers; the rest are counted. */
export const MAX_NAMED = 20

export interface InputFindings {
  errors: FieldError[]
  /** Paths of fields the operation does not have. They are left out. */
  ignored: string[]
}

interface Place {
  path: string
  location: Location
  findings: InputFindings
}

const within = ({ path, ...place }: Place, name: string | number): Place => ({
  ...place,
  path: path ? `${path}.${name}` : String(name),
})

function report({ path, location, findings }: Place, code: string, message: string): undefined {
  findings.errors.push({ field: path, location, code, message })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkObject(type: GraphQLInputObjectType, value: unknown, place: Place): unknown {
  if (!isObject(value)) return report(place, 'type', 'must be an object')
  const fields = type.getFields()
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) place.findings.ignored.push(within(place, name.slice(0, 64)).path)
  }
  const kept: Record<string, unknown> = {}
  for (const field of Object.values(fields)) {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined
    const checked = checkField(field, given, within(place, field.name))
    if (checked !== undefined) kept[field.name] = checked
  }
  return kept
}

function checkLeaf(
  type: Exclude<GraphQLInputType, GraphQLInputObjectType>,
  value: unknown,
  place: Place,
): unknown {
  if (isEnumType(type)) {
    if (typeof value === 'string' && type.getValue(value)) return value
    const names = type.getValues().map(({ name }) => name)
    const hint = didYouMean(typeof value === 'string' ? meant(value, names) : [])
    return report(place, 'enum', `must be one of ${names.join(', ')}${hint}`)
  }
  if (typeof value === 'string' && type.toString() === 'String' && !isStorable(value)) {
    return report(place, 'characters', 'must be well-formed text without U+0000')
  }
  try {
    if ('parseValue' in type) type.parseValue(value)
    return value
  } catch (error) {
    if (error instanceof Unfit) return report(place, error.problem, error.message)
    return report(place, 'type', `must be a ${type}`)
  }
}

function checkValue(type: GraphQLInputType, value: unknown, bounds: Bounds, place: Place): unknown {
  if (isNonNullType(type)) return checkValue(type.ofType, value, bounds, place)
  if (isInputObjectType(type)) return checkObject(type, value, place)
  if (!isListType(type)) return checkLeaf(type, value, place)
  if (!Array.isArray(value)) return report(place, 'type', 'must be a list')
  const { min_items = 0, max_items = MAX_LIST } = bounds
  if (value.length < min_items || value.length > max_items) {
    return report(place, 'length', `must have ${min_items} to ${max_items} items`)
  }
  return value.map((item, index) => {
    if (item !== null && item !== undefined) return checkValue(type.ofType, item, {}, within(place, index))
    return report(within(place, index), 'null', 'must not be null')
  })
}

function checkField(input: GraphQLArgument | GraphQLInputField, value: unknown, place: Place): unknown {
  if (value === undefined) {
    const required = isNonNullType(input.type) && input.defaultValue === undefined
    return required ? report(place, 'required', 'is required') : undefined
  }
  const bounds = boundsOf(input)
  if (value === null) return bounds.clearable ? null : report(place, 'null', 'must not be null')
  return checkValue(input.type, value, bounds, place)
}

/** A single value for a list is a list of it, as GraphQL has it; a body is taken as it is. */
const asSent = ({ type }: GraphQLArgument, value: unknown, location: Location): unknown =>
  location === 'query' && isListType(getNullableType(type)) && !Array.isArray(value) ? [value] : value

/**
 * The arguments that `args` take from `given`, with what is wrong with them. `locate` says where REST carries
 * an argument: what is in the body has paths that start in the body.
 */
export function checkArguments(
  args: readonly GraphQLArgument[],
  given: Readonly<Record<string, unknown>>,
  locate: (name: string) => Location,
): InputFindings & { values: Record<string, unknown> } {
  const findings: InputFindings = { errors: [], ignored: [] }
  const values: Record<string, unknown> = {}
  for (const arg of args) {
    const location = locate(arg.name)
    // null for an argument means what leaving it out means.
    const sent = given[arg.name] ?? undefined
    const value = sent === undefined ? sent : asSent(arg, sent, location)
    const path = location === 'body' && isObject(value) ? '' : arg.name
    const checked = checkField(arg, value, { path, location, findings })
    if (checked !== undefined) values[arg.name] = checked
  }
  return { ...findings, values }
}
