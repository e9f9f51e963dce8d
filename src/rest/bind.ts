/** Turns a request's path, query and body into the arguments of its operation. */
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isListType,
  isScalarType,
} from 'graphql'
import { ApiError, type FieldError, invalid } from '../errors/errors.ts'
import type { Operation } from '../gateway/operation.ts'
import { idOrNone, numberOf } from '../lib/ids.ts'
import { boundsOf } from '../schema/bounds/bounds.ts'
import { checkArgumentsInSlices, MAX_NAMED } from '../schema/calls/input.ts'

/** The argument that is the JSON body. */
export const BODY = 'input'

/** The location of an argument over REST. */
export function locationOf({ rest }: Operation, argument: string): FieldError['location'] {
  if (argument === BODY) return 'body'
  return rest.path.includes(`{${argument}}`) ? 'path' : 'query'
}

const BUILT_IN: Record<string, string> = { Int: 'integer', Float: 'number', Boolean: 'boolean' }

/** The JSON type of a scalar; `string` by default. */
function jsonTypeOf(type: GraphQLInputType): string {
  const named = getNamedType(type)
  const described = isScalarType(named)
    ? (named.extensions.jsonSchema as { type?: string } | undefined)
    : undefined
  return described?.type ?? BUILT_IN[named.name] ?? 'string'
}

/** A number as JSON has it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The value that the text stands for; text that does not fit the type stays text, and is refused as such. */
function fromText(text: string, jsonType: string): unknown {
  const isNumber = jsonType === 'integer' || jsonType === 'number'
  if (isNumber && NUMBER.test(text) && Number.isFinite(Number(text))) return Number(text)
  if (jsonType === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** One argument, and how REST carries it. */
interface Parameter {
  arg: GraphQLArgument
  location: FieldError['location']
  json_type: string
  is_list: boolean
  is_validated_later: boolean
}

const parameterOf = (operation: Operation, arg: GraphQLArgument): Parameter => ({
  arg,
  location: locationOf(operation, arg.name),
  json_type: jsonTypeOf(arg.type),
  is_list: isListType(getNullableType(arg.type)),
  is_validated_later: boundsOf(arg).own_rules !== undefined,
})

function fromQuery({ json_type, is_list }: Parameter, texts: readonly string[]): unknown {
  if (is_list) return texts.flatMap((text) => text.split(',')).map((text) => fromText(text, json_type))
  return texts.length === 1 ? fromText(texts[0] ?? '', json_type) : texts
}

// Contract: path parameters are strings, so that no text is wrong there.
/** The value of a path parameter; 404 for a text that cannot be the number of anything. */
function fromPath({ arg, json_type }: Parameter, text: string): unknown {
  if (json_type !== 'integer') return text
  const number = numberOf(text)
  const { unknown = 'not_found' } = boundsOf(arg)
  if (number === null) throw new ApiError(unknown, { details: { id: idOrNone(text) } })
  return number
}

/** Warnings that name ignored input, up to twenty; the rest is counted. */
function ignoredWarnings(kind: 'field' | 'parameter', names: readonly string[]): string[] {
  const named = names.slice(0, MAX_NAMED).map((name) => `ignored_${kind}: ${name}`)
  const more = names.length - named.length
  return more > 0 ? [...named, `ignored_${kind}s: ${more} more`] : named
}

interface Bound {
  values: Record<string, unknown>
  warnings: string[]
  /** The body, if the operation takes it from the context. */
  body: Record<string, unknown> | null
}

/** The operation's arguments; 422 with every invalid field. Unknown fields are ignored with a warning. */
export type Bind = (
  path: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
  body: Record<string, unknown> | null,
) => Promise<Bound>

/** Makes the function that turns requests into arguments of the operation. */
export function binder(operation: Operation): Bind {
  const { args } = operation.field
  const parameters = args.map((arg) => parameterOf(operation, arg))
  const inQuery = new Set(
    parameters.filter(({ location }) => location === 'query').map(({ arg }) => arg.name),
  )
  const single = new Set(parameters.filter(({ is_list }) => !is_list).map(({ arg }) => arg.name))
  const locate = (name: string) => locationOf(operation, name)
  /** The problem of a parameter that takes one value and was sent several is that. */
  const asRepeated = (error: FieldError, query: URLSearchParams): FieldError =>
    error.location === 'query' && single.has(error.field) && query.getAll(error.field).length > 1
      ? { ...error, code: 'repeated', message: 'must be sent once' }
      : error
  const validatesBody = parameters.some(({ is_validated_later }) => is_validated_later)

  return async (path, query, body) => {
    const given: Record<string, unknown> = {}
    for (const parameter of parameters) {
      const { arg, location, is_validated_later } = parameter
      if (location === 'body') given[arg.name] = is_validated_later ? {} : (body ?? undefined)
      else if (location === 'path') given[arg.name] = fromPath(parameter, path[arg.name] ?? '')
      else if (query.has(arg.name)) given[arg.name] = fromQuery(parameter, query.getAll(arg.name))
    }
    const { errors, ignored, values } = await checkArgumentsInSlices(args, given, locate)
    if (errors.length > 0) throw invalid(errors.map((error) => asRepeated(error, query)))
    const unknown = [...new Set(query.keys())].flatMap((name) =>
      inQuery.has(name) ? [] : [name.slice(0, 64)],
    )
    // Contract silent but for agents: what an operation does not have is ignored everywhere, and named.
    const warnings = [...ignoredWarnings('field', ignored), ...ignoredWarnings('parameter', unknown)]
    const list = operation.ndjson?.member
    if (list === undefined) return { values, warnings, body: validatesBody ? body : null }
    const checked = values[BODY] as Record<string, unknown>
    return { values: { ...values, [BODY]: { ...checked, [list]: [] } }, warnings, body: checked }
  }
}
