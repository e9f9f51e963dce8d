/** Every bound of every operation, judged alike however a value gets to it: generated from the schema. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  print,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/gateway/operation.ts'
import { boundsOf, itemBounds } from '../../src/schema/bounds/bounds.ts'
import { apis, isForCallers, published } from '../setup/api.ts'
import { json, request } from '../setup/http.ts'
import { requiredArguments, sampleOf } from '../setup/samples.ts'
import { world } from '../setup/world.ts'

const { operations, documents } = await published()
const msp = await world()

type Input = GraphQLArgument | GraphQLInputField

interface Misfit {
  path: string
  code: string
  args: Record<string, unknown>
}

const isList = ({ type }: Input): boolean => isListType(getNullableType(type))

/** Values just outside the bounds of the argument or field, with the code that each is refused with. */
function outside(input: Input): [code: string, value: unknown, at?: number][] {
  const bounds = boundsOf(input)
  const { min, max, min_length, max_length, must_be_given } = bounds
  const single: [string, unknown][] = [
    ...(min === undefined ? [] : [['range', min - 1] as [string, unknown]]),
    ...(max === undefined ? [] : [['range', max + 1] as [string, unknown]]),
    ...(min_length ? [['length', ' '.repeat(min_length)] as [string, unknown]] : []),
    ...(max_length === undefined ? [] : [['length', 'x'.repeat(max_length + 1)] as [string, unknown]]),
  ]
  const absent: [string, unknown][] = must_be_given ? [['required', undefined]] : []
  if (!isList(input)) return [...single, ...absent]
  const { min_items, max_items } = itemBounds(bounds)
  const items = (count: number) => Array.from({ length: count }, () => [sampleOf(input)].flat()[0])
  return [
    ...single.map(([code, value]) => [code, [value], 0] as [string, unknown, number]),
    ...absent,
    ...(min_items > 0 ? [['length', []] as [string, unknown]] : []),
    ['length', items(max_items + 1)],
  ]
}

/** Every way to miss a bound of the input, in it or in what is nested in it. */
function misfitsOf(input: Input, path: string, wrap: (value: unknown) => Misfit['args']): Misfit[] {
  const own = outside(input).map(([code, value, at]) => {
    return { path: at === undefined ? path : `${path}.${at}`, code, args: wrap(value) }
  })
  const inner = getNullableType(input.type)
  if (!isInputObjectType(inner)) return own
  const sample = sampleOf(input) as Record<string, unknown>
  const nested = Object.values(inner.getFields()).flatMap((field) => {
    const at = path === 'input' ? field.name : `${path}.${field.name}`
    return misfitsOf(field, at, (value) => wrap({ ...sample, [field.name]: value }))
  })
  return [...own, ...nested]
}

/** An empty list cannot be said in a query string. */
const canBeSaid = ({ args }: Misfit): boolean =>
  Object.values(args).every((value) => !Array.isArray(value) || value.length > 0)

/** Arguments that the gateway judges. Tests of the operation try those that it judges by rules of its own. */
const judged = ({ field }: Operation) => field.args.filter((arg) => !boundsOf(arg).own_rules)

const invalidArguments = operations.filter(isForCallers).flatMap((operation) =>
  judged(operation).flatMap((arg) =>
    misfitsOf(arg, arg.name, (value) => ({ ...requiredArguments(operation), [arg.name]: value }))
      .map((misfit) => [operation.name, misfit.path, misfit.code, operation, misfit] as const)
      .filter(([, , , , misfit]) => canBeSaid(misfit)),
  ),
)

/** The value as it is written in a document. */
function literal(type: GraphQLInputType, value: unknown): string {
  const inner = getNullableType(type)
  if (isListType(inner) && Array.isArray(value))
    return `[${value.map((item) => literal(inner.ofType, item)).join(' ')}]`
  if (isEnumType(inner)) return String(value)
  if (!isInputObjectType(inner)) return JSON.stringify(value)
  const given = Object.entries(value as object).filter(([, item]) => item !== undefined)
  const fields = inner.getFields()
  return `{${given.map(([name, item]) => `${name}: ${literal(fields[name]?.type as GraphQLInputType, item)}`).join(' ')}}`
}

function documentWith({ field, kind }: Operation, args: Misfit['args']): string {
  const given = field.args.filter(({ name }) => args[name] !== undefined)
  const values = given.map(({ name, type }) => `${name}: ${literal(type, args[name])}`)
  return `${kind} { ${field.name}(${values.join(' ')}) { __typename } }`
}

async function refusalOf(query: string, variables: object = {}): Promise<unknown> {
  const { errors } = await (await request('/graphql', json({ query, variables }), msp.admin)).json()
  const [{ extensions }] = errors
  return { code: extensions.code, field_errors: extensions.details.field_errors }
}

const LONGEST_DOCUMENT = 20_000

describe('A value outside the bounds', () => {
  it('exists of every kind of bound', () => {
    expect(new Set(invalidArguments.map(([, , code]) => code))).toEqual(
      new Set(['range', 'length', 'required']),
    )
  })

  it.each(invalidArguments)(
    'of %s, %s (%s), is refused alike by REST, in variables and in literals',
    async (name, path, code, operation, { args }) => {
      const refusal = {
        code: 'request_validation_failed',
        field_errors: [expect.objectContaining({ field: path, code })],
      }
      const answers = await Promise.all(apis.map((api) => api.call(msp.admin, name, args)))
      for (const { status, error } of answers) {
        expect(status).toBe(422)
        expect({ code: error?.code, field_errors: error?.details.field_errors }).toEqual(refusal)
      }
      const document = documentWith(operation, args)
      // A document can hold neither a list of thousands nor a text of 20,001 characters.
      const refused = document.length > LONGEST_DOCUMENT ? { code: 'query_too_complex' } : refusal
      expect(await refusalOf(document)).toEqual(refused)
    },
  )

  const isOfAll = ({ kind, rest }: Operation): boolean => kind === 'query' && !rest.path.includes('{')
  const [wide] = invalidArguments.filter(
    ([, path, , operation]) => isOfAll(operation) && path === 'page_size',
  )

  it('is refused alike by a query that is known, and by one that is compiled', async () => {
    if (!wide) throw new Error('No list has a page size')
    const [name, , , operation, { args }] = wide
    const document = documents.get(name)
    if (!document) throw new Error(`${name} has no document`)
    const query = print(document)
    const first = await refusalOf(query, args)
    expect(first).toMatchObject({ code: 'request_validation_failed' })
    for (let run = 0; run < 6; run++) {
      const variables = requiredArguments(operation)
      const response = await request('/graphql', json({ query, variables }), msp.admin)
      expect((await response.json()).errors).toBeUndefined()
      expect(await refusalOf(query, args)).toEqual(first)
    }
  })
})

it('all problems of a document are told at once, nested input included', async () => {
  const query = `mutation ($days: Int!) {
    a: create_api_key(input: { name: "", scopes: [], expires_in_days: $days }) { id }
    b: update_settings(input: { start_business_hours: 24, human_friendly_client_name: " " }) { timezone }
  }`
  const { field_errors } = (await refusalOf(query, { days: 366 })) as { field_errors: { field: string }[] }
  expect(field_errors.map(({ field }) => field).sort()).toEqual([
    'expires_in_days',
    'human_friendly_client_name',
    'name',
    'scopes',
    'start_business_hours',
  ])
})

it('a page size is an Int, and a search is a String', async () => {
  const query = 'query ($n: Int!, $s: String!) { end_companies(page_size: $n, search: $s) { items { id } } }'
  const { data } = await (
    await request('/graphql', json({ query, variables: { n: 1, s: ' x ' } }), msp.admin)
  ).json()
  expect(data.end_companies.items).toEqual([])
})
