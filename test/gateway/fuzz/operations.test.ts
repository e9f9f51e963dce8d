import fc from 'fast-check'
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
import type { Operation } from '../../../src/gateway/operation.ts'
import { BASE_PATH } from '../../../src/lib/api.ts'
import { BODY, locationOf } from '../../../src/rest/bind.ts'
import { boundsOf } from '../../../src/schema/bounds/bounds.ts'
import { isRequired } from '../../../src/schema/calls/input.ts'
import { json, request } from '../../setup/http.ts'
import { checkResponse } from '../../setup/openapi.ts'
import { anything, callers, documents, INSIDE, judge, operations, RUNS, text } from './values.ts'

/** A value that fits, or nearly fits, the argument or field more often than not: its bounds are likely values. */
function near(input: GraphQLArgument | GraphQLInputField): fc.Arbitrary<unknown> {
  const { min = -2, max = 250, min_length = 0, max_length = 40 } = boundsOf(input)
  const numbers = fc.oneof(
    fc.integer({ min, max }),
    fc.constantFrom(min - 1, min, max, max + 1).filter((value) => Math.abs(value) < 2 ** 31),
  )
  const lengths = fc.constantFrom(min_length, max_length, max_length + 1).map((length) => 'x'.repeat(length))
  const of = (type: GraphQLInputType): fc.Arbitrary<unknown> => {
    const inner = getNullableType(type)
    if (isListType(inner))
      return fc.oneof({ weight: 4, arbitrary: fc.array(of(inner.ofType), { maxLength: 4 }) }, anything)
    if (isEnumType(inner)) {
      const names = inner.getValues().map(({ name }) => name)
      return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, anything)
    }
    if (isInputObjectType(inner)) {
      const fields = Object.values(inner.getFields()).map((field) => [field.name, near(field)] as const)
      const fitting = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
      return fc.oneof({ weight: 6, arbitrary: fitting }, anything)
    }
    const jsonSchema = (inner.extensions.jsonSchema ?? {}) as { type?: string }
    const isNumber = jsonSchema.type === 'integer' || inner.name === 'Int'
    const texts = fc.oneof({ weight: 3, arbitrary: text }, lengths)
    const fitting = isNumber ? numbers : inner.name === 'Boolean' ? fc.boolean() : texts
    return fc.oneof({ weight: 3, arbitrary: fitting }, anything)
  }
  return of(input.type)
}

/** Arguments of the operation: those it needs, and others now and then. */
function argumentsOf({ field }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const all = field.args.map((arg) => [arg.name, near(arg)] as const)
  const requiredKeys = field.args.filter(isRequired).map(({ name }) => name)
  return fc.record(Object.fromEntries(all), { requiredKeys })
}

const inPath = (value: unknown): string => {
  const shown = (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .toWellFormed()
    .slice(0, 1500)
  // A path without the parameter would be another path.
  return shown === '' || /^\.{1,2}$/.test(shown) ? '%00' : encodeURIComponent(shown)
}

function restUrl(operation: Operation, args: Record<string, unknown>): string {
  let path = operation.rest.path
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(args)) {
    const location = locationOf(operation, name)
    if (location === 'path') path = path.replace(`{${name}}`, () => inPath(value))
    const values = Array.isArray(value) ? value : [value]
    if (location === 'query')
      for (const item of values) query.append(name, String(item).toWellFormed().slice(0, 1500))
  }
  return `${BASE_PATH}${path}?${query}`.slice(0, 6000)
}

const named = (operation: Operation) => [operation.name, operation] as const

describe('Whatever is sent to', () => {
  it.each(operations.map(named))(
    '%s over REST, the answer is one of the published ones',
    async (_name, operation) => {
      await fc.assert(
        fc.asyncProperty(argumentsOf(operation), fc.constantFrom(...callers), async (args, caller) => {
          const body = BODY in args ? { body: JSON.stringify(args[BODY]) } : {}
          const headers = BODY in args ? { 'content-type': 'application/json' } : {}
          const init = { method: operation.rest.method, headers, ...body }
          const response = await request(restUrl(operation, args), init, caller)
          const answer = await response.json()
          expect(response.status).toBeLessThan(500)
          checkResponse(operation.name, { status: response.status, headers: response.headers, body: answer })
          if (answer.error) expect(answer.error.message).not.toMatch(INSIDE)
        }),
        RUNS,
      )
    },
  )

  it.each(operations.map(named))(
    '%s by GraphQL, it is an answer or an error of the table',
    async (_name, operation) => {
      const document = documents.get(operation.name)
      if (!document) throw new Error(`${operation.name} has no document`)
      const query = print(document)
      await fc.assert(
        fc.asyncProperty(argumentsOf(operation), fc.constantFrom(...callers), async (variables, caller) => {
          judge(await (await request('/graphql', json({ query, variables }), caller)).json())
        }),
        RUNS,
      )
    },
  )
})
