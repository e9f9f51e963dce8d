/** Page 1 and page 1,000 of a list cost the same, counted by the plans of the statements that the service sends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Arguments } from '../setup/api.ts'
import { SAMPLERS, together } from '../setup/suites/areas.ts'
import { type Caller, type Msp, world } from '../setup/world.ts'
import {
  deepCursor,
  type Measuring,
  measure,
  nestedPagesOf,
  type PageCost,
  pagesOf,
  type ReadPage,
  startMeasuring,
} from './deep-pages.ts'

/** So many that an index is the cheapest way to a page, as it is in a large table. */
const ROWS = 1500
const ROWS_AT_ONCE = 1000
const page_size = 10

/** The row after a page tells whether there is another. */
const PAGE_ROWS = page_size + 1

/** A page of several ranges of an index reads the first rows of each, and so does one by facets, which have many. */
const RANGES_AT_MOST = 4
const RANGES_OF_FACETS_AT_MOST = 20

const NESTED = together(({ nested_lists }) => nested_lists)

let measuring: Measuring
/** The tenant with the rows of each list. Samplers that add the same rows have one tenant. */
const tenants = new Map<string, Msp>()

async function fillAll(): Promise<void> {
  const filled = new Map<unknown, Msp>()
  for (const [name, { add, bounded }] of Object.entries(SAMPLERS)) {
    const msp = filled.get(add) ?? (await world(measuring.database))
    tenants.set(name, msp)
    if (filled.has(add)) continue
    filled.set(add, msp)
    const numbers = Array.from({ length: bounded?.rows ?? ROWS }, (_, n) => n)
    for (let from = 0; from < numbers.length; from += ROWS_AT_ONCE)
      await add(msp, numbers.slice(from, from + ROWS_AT_ONCE))
  }
  // As autovacuum leaves a table that grows: with statistics, and with a map of what every transaction sees.
  // Commits that no disk has yet are seen by the second one.
  for (let round = 0; round < 2; round++) await measuring.client.query('vacuum analyze')
}

const tenantOf = (list: string): Msp => tenants.get(list) as Msp

interface Pages {
  first: PageCost[]
  /** null: the list has no deep page. */
  deep: PageCost[] | null
  /** The list's own table. */
  table: string | undefined
}

async function measurePages({ whole, walked }: Record<'whole' | 'walked', ReadPage>): Promise<Pages> {
  const cursor = await deepCursor(walked)
  const { costs: first, table } = await measure(measuring, () => whole({ page_size, cursor: null }))
  const deep = cursor && (await measure(measuring, () => whole({ page_size, cursor })))
  return { first, deep: deep ? deep.costs : null, table }
}

const costOfList = (list: string, caller: Caller, args: Arguments): Promise<Pages> =>
  measurePages(pagesOf(measuring, list, caller, args))

/** The deep page reads no more than the first one, but for a few rows that other filters leave out, and their pages. */
function expectFlat({ first, deep }: Pages, what: string): void {
  deep?.forEach((cost, index) => {
    expect(cost.rows, `rows, ${what}`).toBeLessThanOrEqual((first[index]?.rows ?? 0) + 4 * PAGE_ROWS)
    expect(cost.pages, `pages, ${what}`).toBeLessThanOrEqual((first[index]?.pages ?? 0) + 4 * PAGE_ROWS)
  })
}

/** However many rows the list has, a page reads those of the page. */
function expectIndexed({ first, deep, table }: Pages, what: string, ranges = RANGES_AT_MOST): void {
  expect(table, `the list’s own table, ${what}`).toBeDefined()
  for (const { own_rows } of [...first, ...(deep ?? [])])
    expect(own_rows, `own rows, ${what}`).toBeLessThanOrEqual(ranges * PAGE_ROWS)
}

/** The indexed filters of a list, each value alone; and another value of what the list requires. */
const indexedFilters = (list: string): Arguments[] =>
  Object.entries(SAMPLERS[list]?.filters ?? {})
    .filter(
      ([filter]) => SAMPLERS[list]?.indexed?.includes(filter) || filter in (SAMPLERS[list]?.required ?? {}),
    )
    .flatMap(([filter, { values }]) => values.map((value) => ({ [filter]: value })))

describe.runIf(process.env.DATABASE_URL)('page 1 and page 1,000 cost the same', () => {
  beforeAll(async () => {
    measuring = await startMeasuring()
    await fillAll()
  }, 120_000)

  afterAll(() => measuring.close())

  // Devices are the RMM’s, and a page of them may be made of several of its pages.
  describe.each(Object.entries(SAMPLERS).filter(([list]) => list !== 'rmm_devices'))(
    'in the list %s',
    (list, { required = {}, orders, isSeenBy, bounded }) => {
      it.each(Object.keys(orders))(
        'in the order %j, also with the filters that an index serves',
        async (sort) => {
          const { owner, user } = tenantOf(list)
          const args = { ...required, ...(sort && { sort }) }
          const pages = await costOfList(list, owner, args)
          expectFlat(pages, 'of all')
          if (isSeenBy) expectFlat(await costOfList(list, user, args), 'of what a USER sees')
          if (bounded) return
          expect(pages.deep, 'a deep page').not.toBeNull()
          expectIndexed(pages, 'of all')
          for (const filter of indexedFilters(list)) {
            const filtered = await costOfList(list, owner, { ...args, ...filter })
            expectFlat(filtered, JSON.stringify(filter))
            expectIndexed(filtered, JSON.stringify(filter), RANGES_OF_FACETS_AT_MOST)
          }
        },
      )
    },
  )

  it.each(Object.entries(NESTED))('in the nested list %s', async (name, { list, parents: [parent] }) => {
    const [, of = ''] = parent ?? []
    const pages = await measurePages(nestedPagesOf(measuring, name, tenantOf(list).owner, of))
    expect(pages.deep, 'a deep page').not.toBeNull()
    expectFlat(pages, name)
    expectIndexed(pages, name)
  })

  it.each(['latest', 'scheduled_for'])(
    'by page number too, but for the rows of the index before the page, in the order %s',
    async (sort) => {
      const { owner } = tenantOf('scheduled_work')
      const costs = async (page: number) => {
        const { whole } = pagesOf(measuring, 'scheduled_work', owner, { sort, page })
        return (await measure(measuring, () => whole({ page_size, cursor: null }))).costs
      }
      const first = await costs(1)
      const deep = await costs(ROWS / page_size)
      deep.forEach(({ rows, own_rows }, index) => {
        const others = (first[index]?.rows ?? 0) - (first[index]?.own_rows ?? 0)
        expect(own_rows).toBeLessThanOrEqual(ROWS)
        expect(rows - own_rows).toBeLessThanOrEqual(others)
      })
    },
  )
})
