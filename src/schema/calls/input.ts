/** Validates input against the schema, for both interfaces, before any resolver runs: all problems, each with its path. */
import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { FieldError } from '../../errors/errors.ts'
import { isObject } from '../../lib/is-object.ts'
import { similarNames, suggestionText } from '../../lib/similar-names.ts'
import { isStorable, unstorableIn } from '../../lib/text.ts'
import { createYield, type Yield } from '../../lib/yielding.ts'
import { boundsOf, isTrimmed, itemBounds, problemWith } from '../bounds/bounds.ts'
import { InvalidValue } from '../scalars/scalars.ts'

type Location = FieldError['location']

/** The number of ignored fields that are named to callers; the rest are counted. */
export const MAX_NAMED = 20

interface InputFindings {
  errors: FieldError[]
  /** Paths of fields the operation does not have. They are left out. */
  ignored: string[]
}

interface Place {
  path: string
  location: Location
  findings: InputFindings
  /** The operation has rules of its own, so that only types are judged. */
  only_types?: boolean
  /** The items of long lists, which are checked after everything else. */
  later: LongList[]
}

/** A list whose items are yet to be checked, one by one. */
interface LongList {
  length: number
  check(index: number): void
}

/** The items of a longer list are checked in slices. */
const MAX_ITEMS_AT_ONCE = 100

/** A place inside the place. */
const inside = ({ path, ...place }: Place, name: string | number): Place => ({
  ...place,
  path: path ? `${path}.${name}` : String(name),
})

function report({ path, location, findings }: Place, code: string, message: string): undefined {
  findings.errors.push({ field: path, location, code, message })
}

function checkObject(type: GraphQLInputObjectType, value: unknown, place: Place): unknown {
  if (!isObject(value)) return report(place, 'type', 'must be an object')
  const fields = type.getFields()
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) place.findings.ignored.push(inside(place, name.slice(0, 64)).path)
  }
  const kept: Record<string, unknown> = {}
  for (const field of Object.values(fields)) {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined
    const checked = checkField(field, given, inside(place, field.name))
    if (checked !== undefined) kept[field.name] = checked
  }
  return kept
}

type Leaf = GraphQLEnumType | GraphQLScalarType
type Bounds = ReturnType<typeof boundsOf>

function checkEnum(type: GraphQLEnumType, value: unknown, place: Place): unknown {
  if (typeof value === 'string' && type.getValue(value)) return value
  const names = type.getValues().map(({ name }) => name)
  const hint = suggestionText(typeof value === 'string' ? similarNames(value, names) : [])
  return report(place, 'enum', `must be one of ${names.join(', ')}${hint}`)
}

const UNSTORABLE = 'must be well-formed text without U+0000'

const IN_WORDS: Record<string, string> = {
  Int: 'a whole number',
  Float: 'a number',
  Boolean: 'true or false',
  String: 'text',
}

/** The problem of a value with its type, without its bounds; null if there is none. */
function typeProblem(
  type: GraphQLScalarType,
  value: unknown,
  { only_types, location }: Place,
): { code: string; message: string } | null {
  // GraphQL takes a number for an ID; REST and the document do not.
  if (type.name === 'ID' && typeof value !== 'string') return { code: 'type', message: 'must be text' }
  // Contract silent: an argument that is an id and could not be stored is answered as the id of nothing.
  const isText = type.name === 'String' || (type.name === 'ID' && location === 'body')
  if (isText && typeof value === 'string' && !only_types && !isStorable(value))
    return { code: 'characters', message: UNSTORABLE }
  try {
    type.parseValue(value)
    return null
  } catch (error) {
    if (error instanceof InvalidValue) return error
    return { code: 'type', message: `must be ${IN_WORDS[type.name] ?? `a ${type}`}` }
  }
}

/** The whole numbers that GraphQL has. */
const INT = { min: -(2 ** 31), max: 2 ** 31 - 1 }

/** JSON of any form, whose texts and numbers are judged wherever they are in it. */
function checkJson(value: unknown, place: Place): unknown {
  const flaws = unstorableIn(value, place.path)
  for (const { path, is } of flaws.slice(0, MAX_NAMED)) {
    if (is === 'TEXT') report({ ...place, path }, 'characters', UNSTORABLE)
    else report({ ...place, path }, 'range', 'must be a finite number')
  }
  return flaws.length > 0 ? undefined : value
}

function checkScalar(type: GraphQLScalarType, value: unknown, bounds: Bounds, place: Place): unknown {
  if (type.name === 'JSON' && !place.only_types) return bounds.read_only ? value : checkJson(value, place)
  const problem =
    problemWith(value, type.name === 'Int' ? { ...INT, ...bounds } : bounds) ??
    typeProblem(type, value, place)
  if (problem) return report(place, problem.code, problem.message)
  return typeof value === 'string' && isTrimmed(bounds) ? value.trim() : value
}

const checkLeaf = (type: Leaf, value: unknown, bounds: Bounds, place: Place): unknown =>
  isEnumType(type) ? checkEnum(type, value, place) : checkScalar(type, value, bounds, place)

function checkValue(type: GraphQLInputType, value: unknown, bounds: Bounds, place: Place): unknown {
  if (isNonNullType(type)) return checkValue(type.ofType, value, bounds, place)
  if (isInputObjectType(type)) return checkObject(type, value, place)
  if (!isListType(type)) return checkLeaf(type, value, bounds, place)
  if (!Array.isArray(value)) return report(place, 'type', 'must be a list')
  const { min_items, max_items } = itemBounds(bounds)
  if (!place.only_types && (value.length < min_items || value.length > max_items)) {
    return report(place, 'length', `must have ${min_items} to ${max_items} items`)
  }
  const checked: unknown[] = []
  const check = (index: number): void => {
    const item: unknown = value[index]
    checked[index] =
      item === null || item === undefined
        ? report(inside(place, index), 'null', 'must not be null')
        : checkValue(type.ofType, item, bounds, inside(place, index))
  }
  if (value.length > MAX_ITEMS_AT_ONCE) place.later.push({ length: value.length, check })
  else for (let index = 0; index < value.length; index++) check(index)
  return checked
}

/** True if a request without the input is refused. */
export const isRequired = (input: GraphQLArgument | GraphQLInputField): boolean =>
  (isNonNullType(input.type) && input.defaultValue === undefined) || boundsOf(input).must_be_given === true

function checkField(input: GraphQLArgument | GraphQLInputField, value: unknown, place: Place): unknown {
  if (value === undefined) return isRequired(input) ? report(place, 'required', 'is required') : undefined
  const bounds = boundsOf(input)
  const only_types = place.only_types || bounds.own_rules !== undefined
  if (value === null) return bounds.nullable || only_types ? null : report(place, 'null', 'must not be null')
  return checkValue(input.type, value, bounds, { ...place, only_types })
}

/** A single value for a list is a list of it, as GraphQL has it; a body is taken as it is. */
const asSent = ({ type }: GraphQLArgument, value: unknown, location: Location): unknown =>
  location === 'query' && isListType(getNullableType(type)) && !Array.isArray(value) ? [value] : value

type Checked = InputFindings & { values: Record<string, unknown> }

/** The findings so far, and the lists whose items are yet to be checked. */
interface Begun {
  checked: Checked
  later: LongList[]
}

function begin(
  args: readonly GraphQLArgument[],
  given: Readonly<Record<string, unknown>>,
  locate: (name: string) => Location,
): Begun {
  const findings: InputFindings = { errors: [], ignored: [] }
  const later: LongList[] = []
  const values: Record<string, unknown> = {}
  for (const arg of args) {
    const location = locate(arg.name)
    // null for an argument means what leaving it out means.
    const sent = given[arg.name] ?? undefined
    const value = sent === undefined ? sent : asSent(arg, sent, location)
    const path = location === 'body' && isObject(value) ? '' : arg.name
    const checked = checkField(arg, value, { path, location, findings, later })
    if (checked !== undefined) values[arg.name] = checked
  }
  return { checked: { ...findings, values }, later }
}

/**
 * The arguments that `args` take from `given`, and their problems. `locate` gives the location of an argument over REST:
 * paths in the body start in the body.
 */
export function checkArguments(...input: Parameters<typeof begin>): Checked {
  const { checked, later } = begin(...input)
  // A list that is in an item of another one is added while the lists are gone through.
  for (const { length, check } of later) for (let index = 0; index < length; index++) check(index)
  return checked
}

/** The same. Other work goes on between the items of long lists. */
export async function checkArgumentsInSlices(
  args: readonly GraphQLArgument[],
  given: Readonly<Record<string, unknown>>,
  locate: (name: string) => Location,
  yielded: Yield = createYield(),
): Promise<Checked> {
  const { checked, later } = begin(args, given, locate)
  for (const { length, check } of later)
    for (let index = 0; index < length; index++) {
      await yielded()
      check(index)
    }
  return checked
}
