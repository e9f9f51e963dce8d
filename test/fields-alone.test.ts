/** What a field answers does not depend on the fields that are asked for beside it: statements select what they read. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../src/gateway/operation.ts'
import { isRequired } from '../src/schema/calls/input.ts'
import { READS } from './examples/calls.ts'
import { type RunningDemo, startDemo } from './examples/demo.ts'
import { type Arguments, isForCallers, published } from './setup/api.ts'
import { type Answered, resolved } from './setup/suites/calls.ts'

type Field = GraphQLField<unknown, unknown>
type Row = Record<string, unknown>

/** From the field of an operation down to a leaf. */
type Path = readonly Field[]

const { operations, schema } = await published()

const fieldsOf = (type: GraphQLObjectType): Field[] =>
  Object.values(type.getFields()).filter(({ args }) => !args.some(isRequired))

const MAX_DEPTH = 4

const followed = new Set<Field>()

/**
 * The paths to all leaves below the type. The relations of rows are followed once: their statement is the same wherever
 * they stand.
 */
function pathsIn(type: GraphQLNamedType, above: Path = []): Path[] {
  if (!isObjectType(type)) return []
  return fieldsOf(type).flatMap((field) => {
    const path = [...above, field]
    const inner = getNamedType(field.type)
    if (isLeafType(inner)) return [path]
    if (path.length > 1 && followed.has(field)) return []
    if (path.length === MAX_DEPTH) return []
    followed.add(field)
    return pathsIn(inner, path)
  })
}

/** The selection that has these paths. */
function selectionOf(paths: readonly Path[]): string {
  const groups = Map.groupBy(paths, ([first]) => first as Field)
  const parts = Array.from(groups, ([{ name }, below]) => {
    const rest = below.map((path) => path.slice(1)).filter((path) => path.length > 0)
    return rest.length > 0 ? `${name} ${selectionOf(rest)}` : name
  })
  return `{ ${parts.join(' ')} }`
}

/** What an answer has at the path, in every row on the way. */
function valuesAt(answer: unknown, path: Path): unknown {
  if (Array.isArray(answer)) return answer.map((item) => valuesAt(item, path))
  const [field, ...rest] = path
  return field && answer !== null ? valuesAt((answer as Row)[field.name], rest) : answer
}

let demo: RunningDemo
const answered = new Map<string, Row[]>()

beforeAll(async () => {
  demo = await startDemo()
})
afterAll(() => demo.close())

async function ask(operation: Operation, args: Arguments, paths: readonly Path[]): Promise<unknown> {
  const { name, field } = operation
  const given = field.args.filter((arg) => arg.name in args)
  const variables = given.map((arg) => `$${arg.name}: ${arg.type}`)
  const call = given.map((arg) => `${arg.name}: $${arg.name}`)
  const listed = (parts: readonly string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '')
  const query = `query Q${listed(variables)} { ${name}${listed(call)} ${selectionOf(paths)} }`
  const response = await fetch(`${demo.base}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.tokenOf(operation)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: args }),
  })
  const { data, errors } = await response.json()
  expect(errors, `${query}\n${JSON.stringify(errors)}`).toBeUndefined()
  return data[name]
}

const rowsOf = (answer: unknown): Row[] => {
  if (Array.isArray(answer)) return answer
  return Object.values(answer as Row).find(Array.isArray) ?? [answer as Row]
}

/** It tells what is left of limits, which each request uses up. */
const OF_LIMITS = 'me'

/** The operations of other credentials are not for GraphQL. */
const queries = operations.filter(
  (operation) => operation.name in READS && isForCallers(operation) && operation.name !== OF_LIMITS,
)
const byName = new Map(queries.map((operation) => [operation.name, operation]))

describe('each field alone answers what it answers together with all others:', () => {
  it.each(Object.keys(READS).filter((name) => byName.has(name)))('%s', async (name) => {
    const operation = byName.get(name) as Operation
    const args = resolved(READS[name] as Arguments, answered as Answered)
    const paths = pathsIn(getNamedType(operation.field.type))
    const all = await ask(operation, args, paths)
    answered.set(name, rowsOf(all))
    for (const path of paths) {
      const alone = await ask(operation, args, [path])
      expect(valuesAt(alone, path), path.map((field) => field.name).join('.')).toEqual(valuesAt(all, path))
    }
  })
})

it('every field of a row exposes a column, or says which ones it is made of', () => {
  const rows = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && type.extensions.pothosPrismaModel !== undefined,
  ) as GraphQLObjectType[]
  expect(rows.length).toBeGreaterThan(30)
  const silent = rows.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ extensions: { pothosPrismaVariant, pothosOptions } }) => {
        const { columns } = (pothosOptions ?? {}) as { columns?: readonly string[] }
        return typeof pothosPrismaVariant !== 'string' && columns === undefined
      })
      .map(({ name }) => `${type.name}.${name}`),
  )
  expect(silent).toEqual([])
})
