/** An id has one type wherever it is named, so that one variable of a GraphQL document serves all of them. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import type { Json } from '../../src/rest/openapi/json.ts'
import { boundsOf } from '../../src/schema/bounds/bounds.ts'
import { builtSchemas } from '../setup/app.ts'

const { schema, operations } = builtSchemas()

type Named = GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField

/** Every field and argument of the schema. */
const places = Object.values(schema.getTypeMap()).flatMap((type): { at: string; named: Named }[] => {
  if (type.name.startsWith('__')) return []
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map((named) => ({ at: `${type.name}.${named.name}`, named }))
  if (!isObjectType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    { at: `${type.name}.${field.name}`, named: field },
    ...field.args.map((named) => ({ at: `${type.name}.${field.name}(${named.name})`, named })),
  ])
})

/**
 * The id of an update is a position to go on from; what another system calls a client id is a credential of it; what is
 * always refused has no type.
 */
const isOther = ({ at, named }: (typeof places)[number]): boolean =>
  at.endsWith('Update.id') ||
  /(?:Connection|Draft)\.client_id$/.test(at) ||
  boundsOf(named as GraphQLInputField).read_only === true

const ids = places.filter((place) => /(?:^|_)ids?$/.test(place.named.name) && !isOther(place))

it('every id is an ID or an Int', () => {
  expect(ids.length).toBeGreaterThan(250)
  const others = ids.filter(({ named }) => !['ID', 'Int'].includes(getNamedType(named.type).name))
  expect(others.map(({ at, named }) => `${at}: ${named.type}`)).toEqual([])
})

/** Names of ids of two kinds: an entry is one of the audit log or of scheduled work. */
const TWO_KINDS = new Set(['id', 'entry_id'])

it('ids of one name have one type', () => {
  const byName = Map.groupBy(ids, ({ named }) => named.name.replace(/ids$/, 'id'))
  const several = [...byName].filter(([name, own]) => {
    // Contract: the agents to whom a memory is restricted are texts.
    const types = new Set(
      own.filter(({ at }) => !at.includes('restricted_to')).map(({ named }) => getNamedType(named.type).name),
    )
    return types.size > 1 && !TWO_KINDS.has(name)
  })
  expect(several.map(([name]) => name)).toEqual([])
})

it('the id of a path is text over REST, with the pattern of its numbers', () => {
  const document = openApiDocument(operations, {})
  const parameters = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap((operation) => operation.parameters as Json[])
    .filter((parameter) => parameter.in === 'path' && /_id$/.test(String(parameter.name)))
  const numbered = parameters.filter(({ schema }) => (schema as Json).pattern !== undefined)
  expect(new Set(parameters.map(({ schema }) => (schema as Json).type))).toEqual(new Set(['string']))
  expect([...new Set(numbered.map(({ name }) => name))].sort()).toEqual(
    ['agent_id', 'entry_id', 'policy_id', 'profile_id', 'rule_id', 'schedule_id'].sort(),
  )
  expect(numbered[0]?.schema).toEqual({ type: 'string', pattern: '^[1-9]\\d{0,9}$' })
})
