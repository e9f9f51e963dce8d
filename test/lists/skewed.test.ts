/** Whatever a list is filtered by, a page reads few rows of a tenant that has many. */
import { getNamedType, isEnumType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Arguments, published } from '../setup/api.ts'
import { linesToAdd, SAMPLERS } from '../setup/suites/areas.ts'
import { makeTechnician } from '../setup/til-requests.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'
import { type Measuring, measure, pagesOf, startMeasuring } from './deep-pages.ts'
import { fillTenant } from './skewed-rows.ts'

const ROWS_AT_MOST = 5000

const GROWING = Object.keys(SAMPLERS).filter((list) => SAMPLERS[list]?.grows)

/** Filters whose cost grows with the tenant, each with the reason. CONTRIBUTING.md has what they cost. */
const NOT_BOUNDED: Record<string, string> = {
  search:
    'it finds any part of the text, and one or two letters have no trigrams; text whose parts are common, but not the whole, is looked for in the rows that have the parts',
}

const { operations } = await published()

let measuring: Measuring
let msp: Msp

const INSTANTS = [0, 1, 17.3].map((past) => new Date(Date.now() - days(past)).toISOString())

/** Each filter of the list with each of its values. */
function filtersOf(list: string): [string, Arguments][] {
  const operation = operations.find(({ name }) => name === list)
  const filters = operation?.field.args.filter(({ name }) => name in (SAMPLERS[list]?.filters ?? {})) ?? []
  return filters.flatMap(({ name, type }) => {
    const named = getNamedType(type)
    const values =
      SAMPLERS[list]?.grows?.[name] ??
      (isEnumType(named) ? named.getValues().map((one) => one.name) : undefined) ??
      { Boolean: [true, false], DateTime: INSTANTS }[named.name] ??
      []
    if (NOT_BOUNDED[name]) return []
    if (values.length === 0) throw new Error(`There is no value of ${list}.${name}`)
    return values.map((value): [string, Arguments] => [`${name} ${value}`, { [name]: value }])
  })
}

it('every list grows with the tenant, or says why it does not', () => {
  const silent = operations.filter(({ name }) => {
    const { grows, steady } = SAMPLERS[name] ?? {}
    return name in SAMPLERS && !grows && !steady
  })
  const lines = silent.map(({ name, area }) => ({
    area: area.name,
    line: `${name}.grows: {}, or steady: 'why it does not',`,
  }))
  expect(
    silent.map(({ name }) => name),
    linesToAdd('lists', lines),
  ).toEqual([])
})

describe.runIf(process.env.DATABASE_URL)('a page of a tenant with many rows', () => {
  beforeAll(async () => {
    measuring = await startMeasuring()
    msp = await world(measuring.database)
    await makeTechnician(msp, msp.viewer.id, 1)
    await fillTenant(measuring.url, msp)
    await measuring.client.query('analyze agent, end_company, channel')
  }, 240_000)

  afterAll(() => measuring.close())

  /** The USER sees nearly all agents; the VIEWER sees two, and is a technician whom every tenth request names. */
  function callersOf(list: string): Record<string, Caller> {
    const { owner: OWNER, user: USER, viewer: VIEWER } = msp
    return SAMPLERS[list]?.isSeenBy || list === 'callbacks' ? { OWNER, USER, VIEWER } : { OWNER }
  }

  async function rowsRead(list: string, caller: Caller, args: Arguments): Promise<number> {
    const { whole } = pagesOf(measuring, list, caller, { ...SAMPLERS[list]?.required, ...args })
    const { costs } = await measure(measuring, () => whole({ page_size: 50, cursor: null }))
    return Math.max(...costs.map(({ rows }) => rows))
  }

  describe.each(GROWING)('in the list %s', (list) => {
    it.each([['no filter', {}] as [string, Arguments], ...filtersOf(list)])(
      'reads few of them with %s',
      async (_name, args) => {
        const sorts = Object.keys(SAMPLERS[list]?.orders ?? {}).map((sort) => (sort ? { sort } : {}))
        for (const sort of sorts)
          for (const [who, caller] of Object.entries(callersOf(list))) {
            const asked = Object.keys({ ...SAMPLERS[list]?.required, ...args })
            if (asked.some((name) => SAMPLERS[list]?.not_bounded_for?.[who]?.[name])) continue
            const rows = await rowsRead(list, caller, { ...args, ...sort })
            expect.soft(rows, `rows of the ${who}, ${JSON.stringify(sort)}`).toBeLessThanOrEqual(ROWS_AT_MOST)
          }
      },
    )
  })
})
