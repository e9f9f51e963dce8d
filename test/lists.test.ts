/** Every operation that answers with pages, by its sampler. */
import { beforeAll, describe, expect, it } from 'vitest'
import { PAGE_SIZE } from '../src/db/query/page-size.ts'
import { type Answer, type Arguments, apis, published, rest } from './setup/api.ts'
import { clock, testApp } from './setup/app.ts'
import { countStatements } from './setup/statements.ts'
import { linesToAdd, SAMPLERS } from './setup/suites/areas.ts'
import { inOrder, type ListSampler } from './setup/suites/sampler.ts'
import { type Caller, days, type Msp, world } from './setup/world.ts'

const { operations } = await published()

const takes = (name: string) => (operation: (typeof operations)[number]) =>
  operation.field.args.some((arg) => arg.name === name)

const lists = operations.filter(takes('cursor'))
const NOT_FILTERS = ['cursor', 'page', 'page_size', 'sort']

type Row = Record<string, unknown>
type Sampler = ListSampler<Row>

const noSampler = (names: readonly string[]): string => {
  const lines = lists
    .filter(({ name }) => names.includes(name))
    .map(({ name, area }) => {
      return { area: area.name, line: `${name}: { … }, a ListSampler of test/setup/suites/sampler.ts` }
    })
  return linesToAdd('lists', lines)
}

const samplerOf = (name: string): Sampler => {
  const sampler = SAMPLERS[name]
  if (!sampler) throw new Error(noSampler([name]))
  return sampler
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

const itemsOf = ({ items }: Sampler, { data }: Answer): Row[] => (items ? items(data) : data)

const idsOf = (sampler: Sampler, answer: Answer): string[] =>
  itemsOf(sampler, answer).map((item) => String(item[sampler.id]))

/** The ids of the rows that the arguments let through, in order, as the memory has it. */
function expectedIds(sampler: Sampler, rows: readonly Row[], args: Arguments, user?: string): string[] {
  const { filters, orders, lists: isListed, isSeenBy } = sampler
  const given = Object.entries(args).filter(([name]) => name in filters)
  const keys = orders[String(args.sort ?? Object.keys(orders)[0])] ?? []
  return rows
    .filter((row) => user === undefined || isSeenBy?.(row, user))
    .filter((row) => isListed?.(row, args) ?? true)
    .filter((row) => given.every(([name, value]) => filters[name]?.meets(row, value as never)))
    .sort(inOrder(keys))
    .map((row) => String(row[sampler.id]))
}

/** Every value of every filter. */
const valuesAlone = ({ filters }: Sampler): Arguments[] =>
  Object.entries(filters).flatMap(([name, { values }]) => values.map((value) => ({ [name]: value })))

/** Every pair of filters, by turns by their first values and by their last ones. */
function pairs({ filters }: Sampler): Arguments[] {
  const names = Object.keys(filters)
  return names.flatMap((one, index) =>
    names.slice(index + 1).map((other, distance) => {
      const at = (index + distance) % 2 === 0 ? 0 : -1
      return { [one]: filters[one]?.values.at(at), [other]: filters[other]?.values.at(at) }
    }),
  )
}

const told = ({ status, error }: Answer) => [status, error?.code, error?.details.reason]

beforeAll(testApp)

describe('the samplers', () => {
  it('are those of the lists, and know their filters and orders', () => {
    const names = lists.map(({ name }) => name)
    expect(Object.keys(SAMPLERS).sort(), noSampler(names.filter((name) => !(name in SAMPLERS)))).toEqual(
      names.sort(),
    )
    for (const { name, field } of lists) {
      const { filters, orders } = samplerOf(name)
      const taken = field.args.map((arg) => arg.name).filter((arg) => !NOT_FILTERS.includes(arg))
      expect([name, Object.keys(filters).sort()]).toEqual([name, taken.sort()])
      const sort = field.args.find((arg) => arg.name === 'sort')
      const sorts = sort && 'getValues' in sort.type ? sort.type.getValues().map((one) => one.name) : ['']
      expect([name, Object.keys(orders)]).toEqual([name, sorts])
    }
  })
})

describe.each(lists.map(({ name }) => name))('the list %s', (name) => {
  const sampler = samplerOf(name)
  const { required = {} } = sampler
  const ask = (caller: Caller, args: Arguments = {}, api = rest) =>
    api.call(caller, name, { ...required, ...args })

  async function withRows(count: number): Promise<Msp> {
    const msp = await world()
    await sampler.add(msp, numbers(0, count))
    return msp
  }

  let many: Msp
  let few: Msp
  beforeAll(async () => {
    many = await withRows(60)
    few = await withRows(25)
  })

  it('has 50 items on a page, or 1 to 200', async () => {
    const there = expectedIds(sampler, await sampler.rows(many), required).length
    for (const page_size of [undefined, PAGE_SIZE.min, PAGE_SIZE.max]) {
      const answer = await ask(many.owner, page_size === undefined ? {} : { page_size })
      const size = Math.min(page_size ?? 50, there)
      expect([itemsOf(sampler, answer).length, answer.pagination?.has_more]).toEqual([size, size < there])
    }
    for (const page_size of [0, -1, 201, 1.5]) {
      const { status, error } = await ask(many.owner, { page_size })
      expect([status, error?.details.field_errors?.map(({ field }) => field)]).toEqual([422, ['page_size']])
    }
  })

  // The cursor is an argument of both interfaces, and is read below them.
  it.each(name === 'agents' ? apis : [rest])(
    'refuses a cursor that is not its own, through $name',
    async (api) => {
      const [msp, other] = [few, many]
      const { pagination } = await ask(msp.owner, { page_size: 1 }, api)
      const cursor = pagination?.next_cursor as string
      expect((await ask(msp.owner, { cursor, page_size: 2 }, api)).status).toBe(200)
      const tampered = [
        `${cursor}A`,
        cursor.slice(1),
        `${cursor[0] === 'A' ? 'B' : 'A'}${cursor.slice(1)}`,
        'x',
      ]
      for (const text of tampered)
        expect(told(await ask(msp.owner, { cursor: text }, api)), text).toEqual([
          400,
          'invalid_cursor',
          'MALFORMED',
        ])
      const another = samplerOf(name === 'agents' ? 'end_companies' : 'agents')
      const list = name === 'agents' ? 'end_companies' : 'agents'
      const elsewhere = await api.call(msp.owner, list, { ...another.required, cursor })
      expect(told(elsewhere)).toEqual([400, 'invalid_cursor', 'MALFORMED'])
      expect(told(await ask(other.owner, { cursor }, api))).toEqual([400, 'invalid_cursor', 'MALFORMED'])
      const others = Object.entries(sampler.filters).map(([filter, { values }]) => ({
        [filter]: values.at(-1),
      }))
      const sorts = Object.keys(sampler.orders)
        .slice(1)
        .map((sort) => ({ sort }))
      for (const args of [...others, ...sorts])
        expect(told(await ask(msp.owner, { ...args, cursor }, api)), JSON.stringify(args)).toEqual([
          400,
          'invalid_cursor',
          'FILTERS_CHANGED',
        ])
      clock.advance(days(1) + 1)
      try {
        expect(told(await ask(msp.owner, { cursor }, api))).toEqual([400, 'invalid_cursor', 'EXPIRED'])
      } finally {
        clock.reset()
      }
    },
  )

  it.each(Object.keys(sampler.orders))('is walked in the order %j, each row once', async (sort) => {
    const args = sort === '' ? {} : { sort }
    const expected = expectedIds(sampler, await sampler.rows(few), { ...required, ...args })
    for (const page_size of [1, 7]) {
      const ids: string[] = []
      let cursor: string | null | undefined
      do {
        const answer = await ask(few.owner, { ...args, page_size, ...(cursor && { cursor }) })
        ids.push(...idsOf(sampler, answer))
        cursor = answer.pagination?.next_cursor
      } while (cursor)
      expect(ids).toEqual(expected)
    }
  })

  it.runIf(sampler.remove)(
    'is walked while rows come and go: each that stays, once and in order',
    async () => {
      const msp = await withRows(24)
      const removed = new Set<string>()
      const before = expectedIds(sampler, await sampler.rows(msp), required)
      const visited: string[] = []
      let cursor: string | null | undefined
      let next = 24
      do {
        const answer = await ask(msp.owner, { page_size: 4, ...(cursor && { cursor }) })
        const ids = idsOf(sampler, answer)
        visited.push(...ids)
        cursor = answer.pagination?.next_cursor
        // The row that the cursor is at goes, and one that is still to come; others come, anywhere.
        const [last, coming] = [ids.at(-1), before.find((id) => !visited.includes(id) && !removed.has(id))]
        for (const id of [last, coming]) {
          if (id === undefined || id === msp.owner.id) continue
          removed.add(id)
          await sampler.remove?.(msp, id)
        }
        await sampler.add(msp, [next, next + 1])
        next += 2
      } while (cursor && next < 60)
      const stayed = before.filter((id) => !removed.has(id) || visited.includes(id))
      expect(new Set(visited).size).toBe(visited.length)
      expect(visited.filter((id) => stayed.includes(id))).toEqual(stayed)
    },
  )

  it.runIf(Object.keys(sampler.filters).length > 0)('has the rows that its filters let through', async () => {
    const rows = await sampler.rows(many)
    const sorts = Object.keys(sampler.orders).map((sort) => (sort === '' ? {} : { sort }))
    const sorted = valuesAlone(sampler).flatMap((args) => sorts.map((sort) => ({ ...args, ...sort })))
    for (const combination of [...sorted, ...pairs(sampler)]) {
      const args = { ...required, ...combination }
      const answer = await ask(many.owner, { ...args, page_size: 200 })
      expect(idsOf(sampler, answer), JSON.stringify(args)).toEqual(expectedIds(sampler, rows, args))
    }
  })

  it.runIf(sampler.isSeenBy)('has the rows that a USER sees, whatever the filters', async () => {
    const rows = await sampler.rows(many)
    for (const combination of [{}, ...valuesAlone(sampler)]) {
      const args = { ...required, ...combination }
      const answer = await ask(many.user, { ...args, page_size: 200 })
      expect(idsOf(sampler, answer), JSON.stringify(args)).toEqual(
        expectedIds(sampler, rows, args, many.user.id),
      )
    }
  })

  it('costs as many statements for one row as for many', async () => {
    const alone = Object.entries(sampler.filters).map(([filter, { values }]) => ({ [filter]: values[0] }))
    for (const args of [{}, ...alone]) {
      const counts: number[] = []
      for (const page_size of [1, 200]) {
        const read = () => ask(many.owner, { ...args, page_size })
        await read()
        counts.push(await countStatements(many.database, read))
      }
      expect(new Set(counts).size, JSON.stringify(args)).toBe(1)
      expect(Math.max(...counts), JSON.stringify(args)).toBeLessThanOrEqual(3)
    }
  })
})
