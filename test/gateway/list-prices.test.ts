/** Every list of the schema is priced at what it can give, so that no walk along them is cheap. */
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { PAGE_SIZE } from '../../src/db/query/page-size.ts'
import { sizeCalculator } from '../../src/graphql/query-cost.ts'
import { pricing } from '../../src/rest/points.ts'
import {
  hasPages,
  ITEMS_PER_POINT,
  isObjectList,
  maxItemsOf,
  withinMaxItems,
} from '../../src/schema/bounds/list-size.ts'
import { published } from '../setup/api.ts'

const { schema } = await published()

interface Step {
  type: GraphQLObjectType
  field: GraphQLField<unknown, unknown>
}

const isOwn = (type: unknown): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__')

const steps: Step[] = Object.values(schema.getTypeMap())
  .filter(isOwn)
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))

const nameOf = ({ type, field }: Step): string => `${type.name}.${field.name}`

const objectsOf = (type: GraphQLObjectType): GraphQLObjectType[] =>
  Object.values(type.getFields())
    .map((field) => getNamedType(field.type))
    .filter(isOwn)

/** The types that a walk from the type can come to. */
function reachable(from: GraphQLObjectType): Set<GraphQLObjectType> {
  const found = new Set<GraphQLObjectType>()
  const open = [from]
  for (let type = open.pop(); type; type = open.pop())
    for (const next of objectsOf(type))
      if (!found.has(next)) {
        found.add(next)
        open.push(next)
      }
  return found
}

const isPage = (type: GraphQLObjectType): boolean => 'pagination' in type.getFields()

const lists = steps.filter(({ field }) => isObjectList(field.type))
const plain = lists.filter(({ type }) => !isPage(type))
const pages = steps.filter(({ field }) => {
  const type = getNamedType(field.type)
  return isOwn(type) && isPage(type)
})

describe('a list of the schema', () => {
  it('is a page, or declares the most items it can have', () => {
    expect(plain.filter(({ field }) => maxItemsOf(field) === null).map(nameOf)).toEqual([])
    expect(pages.filter(({ field }) => !hasPages(field)).map(nameOf)).toEqual([])
    expect(plain.length).toBeGreaterThan(30)
    expect(pages.length).toBeGreaterThan(30)
  })

  it('leads back to itself only in pages', () => {
    const cyclic = lists.filter(({ type, field }) => {
      const item = getNamedType(field.type)
      return isOwn(item) && (item === type || reachable(item).has(type))
    })
    expect(cyclic.length).toBeGreaterThanOrEqual(5)
    expect(cyclic.filter(({ type }) => !isPage(type)).map(nameOf)).toEqual([])
  })
})

/** The arguments that the field needs, whatever their values, with this page size. */
function argumentsOf({ args }: Step['field'], page_size: number): string {
  const given = args.flatMap(({ name, type }) => {
    if (name === 'page_size') return [`page_size: ${page_size}`]
    const named = getNamedType(type)
    const literal = named.name === 'Int' ? '1' : '"1"'
    const value = isEnumType(named) ? named.getValues()[0]?.name : literal
    return isNonNullType(type) && !isInputObjectType(named) ? [`${name}: ${value}`] : []
  })
  return given.length > 0 ? `(${given.join(', ')})` : ''
}

interface Walk {
  at: GraphQLObjectType
  wrap: (inner: string) => string
  /** How many objects of the type it can come to, with pages of one row. */
  times: number
}

/** The shortest walk to each type. */
function walks(): Map<GraphQLObjectType, Walk> {
  const found = new Map<GraphQLObjectType, Walk>()
  const open: Walk[] = [schema.getQueryType(), schema.getMutationType()]
    .filter(isOwn)
    .map((at) => ({ at, wrap: (inner) => `${at.name.toLowerCase()} { ${inner} }`, times: 1 }))
  for (let walk = open.shift(); walk; walk = open.shift()) {
    const { at, wrap, times } = walk
    if (found.has(at)) continue
    found.set(at, walk)
    for (const field of Object.values(at.getFields())) {
      const next = getNamedType(field.type)
      if (!isOwn(next)) continue
      open.push({
        at: next,
        wrap: (inner) => wrap(`${field.name}${argumentsOf(field, 1)} { ${inner} }`),
        times: times * (maxItemsOf(field) ?? 1),
      })
    }
  }
  return found
}

const walkTo = walks()

function costOf(text: string): number {
  const document = parse(text)
  const [operation] = document.definitions
  return sizeCalculator(schema, document, operation as OperationDefinitionNode)({}).cost
}

describe('the price of a list is what it can give:', () => {
  const reached = (all: readonly Step[]) =>
    all.flatMap((step) => {
      const walk = walkTo.get(step.type)
      return walk ? [[nameOf(step), step, walk] as const] : []
    })

  it.each(reached(plain))(
    'fifty items of %s for a point, and each of its objects for one',
    (_name, { field }, walk) => {
      const items = walk.times * (maxItemsOf(field) ?? 0)
      expect(costOf(walk.wrap(`${field.name} { __typename }`)) * ITEMS_PER_POINT).toBeGreaterThanOrEqual(
        items,
      )
      const inner = Object.values((getNamedType(field.type) as GraphQLObjectType).getFields())
      const object = inner.find(({ type, args }) => isOwn(getNamedType(type)) && args.length === 0)
      if (!object) return
      expect(costOf(walk.wrap(`${field.name} { ${object.name} { __typename } }`))).toBeGreaterThanOrEqual(
        items,
      )
    },
  )

  it.each(reached(pages))('each row of %s for a point', (_name, { field }, walk) => {
    for (const rows of [1, PAGE_SIZE.max]) {
      const page = `${field.name}${argumentsOf(field, rows)} { pagination { __typename } }`
      expect(costOf(walk.wrap(page))).toBeGreaterThanOrEqual(rows * walk.times)
    }
  })
})

it('a walk from schedules to technicians and back, which the depth allows, is refused', () => {
  const walk = 'technicians(page_size: 200) { items { schedule { '.repeat(3)
  const document = `{ technician_schedules(page_size: 1) { items { ${walk} id ${'} } } '.repeat(3)} } } }`
  expect(costOf(document)).toBeGreaterThan(5000)
})

describe('a list that is longer than it declares', () => {
  it('is refused', () => {
    expect(withinMaxItems([1, 2], 2)).toEqual([1, 2])
    expect(withinMaxItems(null, 2)).toBeNull()
    expect(() => withinMaxItems([1, 2, 3], 2)).toThrow(
      expect.objectContaining({ code: 'response_too_large', details: { max_items: 2 } }),
    )
  })
})

it('REST charges a call for the rows of its page, or else for the most items that it may give', async () => {
  const { operations } = await published()
  const priced = Object.fromEntries(operations.map((operation) => [operation.name, pricing(operation)]))
  const price = (name: string, query = '') => priced[name]?.(new URLSearchParams(query))
  expect(price('settings')).toBe(1)
  expect([price('agents'), price('agents', 'page_size=1'), price('agents', 'page_size=9999')]).toEqual([
    2, 1, 5,
  ])
  // 25 fields of 2,000 options.
  expect(price('company_filter_options')).toBe(1001)
})
