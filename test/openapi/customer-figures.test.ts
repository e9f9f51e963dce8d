/** The figures that customers get never tell what the service itself pays for. */
import {
  type GraphQLNamedType,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { expect, it, test } from 'vitest'
import { published } from '../setup/api.ts'

const { operations, rest_view } = await published()

const AREAS = ['Billing', 'Observability', 'Performance']
const OURS_ALONE = /cost|price|token|usd|provider|margin/i

/** The names of everything that the type says, however deep. */
function namesIn(type: GraphQLNamedType, seen = new Set<string>()): string[] {
  if (seen.has(type.name)) return []
  seen.add(type.name)
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  if (!isObjectType(type) && !isInputObjectType(type)) return []
  const fields: { name: string; type: GraphQLType }[] = Object.values(type.getFields())
  return fields.flatMap((field) => [field.name, ...namesIn(getNamedType(field.type), seen)])
}

const figures = operations.filter(({ area }) => AREAS.includes(area.name))

it.each(figures.map(({ name, kind }) => [name, kind] as const))('%s names no cost of ours', (name, kind) => {
  const root = kind === 'query' ? rest_view.getQueryType() : rest_view.getMutationType()
  const field = root?.getFields()[name]
  if (!field) throw new Error(`REST has no ${name}`)
  const types = [getNamedType(field.type), ...field.args.map((arg) => getNamedType(arg.type))]
  const names = [...field.args.map((arg) => arg.name), ...types.flatMap((type) => namesIn(type))]
  expect(names.length).toBeGreaterThan(1)
  expect(names.filter((each) => OURS_ALONE.test(each))).toEqual([])
})

test('there are such figures', () => {
  expect(figures.length).toBeGreaterThan(3)
})
