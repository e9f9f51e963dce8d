/** The service's costs at its own providers are never returned: no field of these areas is named like them. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { describe, expect, it, test } from 'vitest'
import { openApiDocument } from '../src/rest/openapi/document.ts'
import type { Json } from '../src/rest/openapi/json.ts'
import { published } from './setup/api.ts'

const LIKE_COST = /cost|price|token|usd|provider|margin/i

const { operations } = await published()
const document = openApiDocument(operations)

const AREAS = ['Billing', 'Observability', 'Performance']
const judged = operations.filter(({ area }) => AREAS.includes(area.name))

const argumentsOf = (field: object): readonly GraphQLArgument[] =>
  'args' in field ? (field.args as readonly GraphQLArgument[]) : []

/** The names of fields, of arguments and of enum values that can be reached from the type. */
function namesIn(type: GraphQLNamedType, seen = new Set<string>()): string[] {
  if (seen.has(type.name)) return []
  seen.add(type.name)
  if (isEnumType(type)) return type.getValues().map(({ name }) => `${type.name}.${name}`)
  if (!isObjectType(type) && !isInputObjectType(type)) return []
  const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(type.getFields())
  return fields.flatMap((field) => [
    `${type.name}.${field.name}`,
    ...argumentsOf(field).map(({ name }) => `${type.name}.${field.name}(${name})`),
    ...namesIn(getNamedType(field.type), seen),
  ])
}

const described = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods),
) as unknown as Json[]

/** The part of the document at a JSON pointer. */
const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((part, step) => (part as Json | undefined)?.[step], document)

/** The names of properties and parameters that can be reached from the part. */
function propertiesIn(part: unknown, seen = new Set<string>()): string[] {
  if (typeof part !== 'object' || part === null) return []
  const { $ref, properties = {}, name } = part as Json
  if (typeof $ref === 'string') {
    if (seen.has($ref)) return []
    seen.add($ref)
    return propertiesIn(at($ref), seen)
  }
  return [
    ...Object.keys(properties as object),
    ...(typeof name === 'string' ? [name] : []),
    ...Object.values(part).flatMap((inner) => propertiesIn(inner, seen)),
  ]
}

/** The names of the operation's parameters, and of the properties of its body and its success. */
function publishedNames(operation: string): string[] {
  const found = described.find((each) => each['x-graphql-field'] === operation)
  const responses = found?.responses as Json | undefined
  return [found?.parameters, found?.requestBody, responses?.['200']].flatMap((part) => propertiesIn(part))
}

test('the areas have operations, of which everything is looked at', () => {
  expect([...new Set(judged.map(({ area }) => area.name))].sort()).toEqual(AREAS)
  const names = ['since', 'window', 'timezone', 'events_processed', 'p95_total_duration_seconds']
  expect(publishedNames('callback_funnel')).toEqual(expect.arrayContaining(names))
})

test.each(['provider_cost', 'token_count', 'priceEUR', 'margin_pct'])('%s would be found', (name) => {
  expect(name).toMatch(LIKE_COST)
})

describe.each(judged.map((operation) => [operation.name, operation] as const))('%s', (_name, operation) => {
  it('has no field and no argument named like cost in GraphQL', () => {
    const names = [
      ...operation.field.args.flatMap(({ name, type }) => [name, ...namesIn(getNamedType(type))]),
      ...namesIn(getNamedType(operation.field.type)),
    ]
    expect(names.length).toBeGreaterThan(1)
    expect(names.filter((name) => LIKE_COST.test(name))).toEqual([])
  })

  it('has no property and no parameter named like cost in OpenAPI', () => {
    const names = publishedNames(operation.name)
    expect(names).toContain('data')
    expect(names.filter((name) => LIKE_COST.test(name))).toEqual([])
  })
})
