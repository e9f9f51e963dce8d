/** Whatever a list is filtered by, a page reads few rows of a tenant that has many. */
import { getNamedType, isEnumType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Arguments, published } from '../setup/api.ts'
import { SAMPLERS } from '../setup/lists/index.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'
import { type Measuring, measure, pagesOf, startMeasuring } from './deep-pages.ts'
import { fillTenant } from './skewed-rows.ts'

const ROWS_AT_MOST = 5000

/** The lists of the tenant that grow, each with values of what is no enumeration: common, rare, and never met. */
const GROWING: Record<string, Record<string, readonly unknown[]>> = {
  executions: { agent_id: [1, 200, 9999], entity_id: ['7', '-'] },
}

/** Filters whose cost grows with the tenant, each with the reason. */
const NOT_BOUNDED: Record<string, string> = {
  'executions.updated_since': 'the order is by `created_at`: what changed since is read, or what was created, whichever is less',
  search: 'text of one or two letters has no trigrams, and what is common is found by walking the list',
}

const { operations } = await published()

let measuring: Measuring
let msp: Msp

const INSTANTS = [0, 9, 17.3].map((past) => new Date(Date.now() - days(past)).toISOString())

/** Each filter of the list with each of its values. */
function filtersOf(list: string): [string, Arguments][] {
  const operation = operations.find(({ name }) => name === list)
  const filters = operation?.field.args.filter(({ name }) => name in (SAMPLERS[list]?.filters ?? {})) ?? []
  return filters.flatMap(({ name, type }) => {
    const named = getNamedType(type)
    const values =
      GROWING[list]?.[name] ??
      (isEnumType(named) ? named.getValues().map((one) => one.name) : undefined) ??
      { Boolean: [true, false], DateTime: INSTANTS }[named.name] ??
      []
    if (NOT_BOUNDED[`${list}.${name}`] ?? NOT_BOUNDED[name]) return []
    if (values.length === 0) throw new Error(`There is no value of ${list}.${name}`)
    return values.map((value): [string, Arguments] => [`${name} ${value}`, { [name]: value }])
  })
}

describe.runIf(process.env.DATABASE_URL)('a page of a tenant with many rows', () => {
  beforeAll(async () => {
    measuring = await startMeasuring()
    msp = await world(measuring.database)
    await fillTenant(measuring.client, msp)
  }, 240_000)

  afterAll(() => measuring.close())

  async function rowsRead(list: string, caller: Caller, args: Arguments): Promise<number> {
    const { whole } = pagesOf(measuring, list, caller, { ...SAMPLERS[list]?.required, ...args })
    const { costs } = await measure(measuring, () => whole({ page_size: 50, cursor: null }))
    return Math.max(...costs.map(({ rows }) => rows))
  }

  describe.each(Object.keys(GROWING))('in the list %s', (list) => {
    it.each([['no filter', {}] as [string, Arguments], ...filtersOf(list)])(
      'reads few of them with %s',
      async (_name, args) => {
        const sorts = Object.keys(SAMPLERS[list]?.orders ?? {}).map((sort) => (sort ? { sort } : {}))
        for (const sort of sorts)
          for (const caller of [msp.owner, msp.user])
            expect(await rowsRead(list, caller, { ...args, ...sort })).toBeLessThanOrEqual(ROWS_AT_MOST)
      },
    )
  })
})
