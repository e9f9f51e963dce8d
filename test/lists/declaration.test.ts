/** Declared lists, by lists that no operation has: orders that are mixed and may be null, page numbers, statements. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ascending, descending } from '../../src/db/query/keyset.ts'
import { projection } from '../../src/db/query/projection.ts'
import type { Context } from '../../src/gateway/context.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { type Arguments, defineList } from '../../src/schema/lists/list.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { testApp } from '../setup/app.ts'
import { countStatements } from '../setup/statements.ts'
import { type Msp, world } from '../setup/world.ts'

interface Row {
  execution_id: string
  finished_at: Date | null
  run_count: number
}

const declaration = {
  from: 'execution e',
  columns: projection('Execution', 'e', { always: ['execution_id'] }),
  filters: {
    supervised: {
      type: 'Boolean' as const,
      description: 'Only supervised executions.',
      where: 'e.supervised = ?::boolean',
    },
  },
}

const mixed = defineList<Row>()({
  ...declaration,
  name: 'test.mixed',
  page_numbers: true,
  order: [
    descending('finished_at', 'timestamptz', { nullable: true }),
    ascending('run_count', 'int'),
    descending('execution_id', 'text'),
  ],
})

const nullsBetween = defineList<Row>()({
  ...declaration,
  name: 'test.nulls',
  order: [
    ascending('run_count', 'int'),
    ascending('finished_at', 'timestamptz', { nullable: true }),
    ascending('execution_id', 'text'),
  ],
})

type TestList = Pick<typeof mixed, 'page'>

let msp: Msp

beforeAll(async () => {
  await testApp()
  msp = await world()
  await addAgents(msp, [{ id: 1 }])
})

const context = ({ tenant_id, environment, database }: Msp = msp): Context =>
  ({
    viewer: { tenant_id, environment },
    services: { database, signing_secrets: ['a secret'] },
    transaction: null,
    db_time: new Stopwatch(),
    now: new Date('2026-06-01T00:00:00Z'),
  }) as unknown as Context

async function walk(list: TestList, args: Arguments): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null | undefined
  do {
    const { items, pagination } = await list.page(context(), { ...args, cursor }, null)
    ids.push(...items.map(({ execution_id }) => execution_id))
    cursor = pagination.next_cursor
  } while (cursor)
  return ids
}

const compare = <Value>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0)

const nullsLast =
  (direction: number) =>
  (a: Date | null, b: Date | null): number =>
    a === null || b === null ? compare(a === null, b === null) : direction * compare(a.getTime(), b.getTime())

const ORDERS: [string, TestList, (a: Row, b: Row) => number][] = [
  [
    'falls, rises and falls, with nulls first of all keys',
    mixed,
    (a, b) =>
      nullsLast(-1)(a.finished_at, b.finished_at) ||
      compare(a.run_count, b.run_count) ||
      compare(b.execution_id, a.execution_id),
  ],
  [
    'rises, with nulls in the middle',
    nullsBetween,
    (a, b) =>
      compare(a.run_count, b.run_count) ||
      nullsLast(1)(a.finished_at, b.finished_at) ||
      compare(a.execution_id, b.execution_id),
  ],
]

describe('a list whose order', () => {
  it.each(ORDERS)('%s is walked once, in order', async (_name, list, order) => {
    const row = fc.record({
      finished_at: fc.option(fc.constantFrom(...[1, 2, 3].map((day) => new Date(Date.UTC(2026, 0, day))))),
      run_count: fc.integer({ min: 0, max: 2 }),
      supervised: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 16 }),
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.boolean()),
        async (given, page_size, supervised) => {
          await msp.database.prisma.execution.deleteMany({ where: { tenant_id: msp.tenant_id } })
          const rows = given.map((one, index) => ({ ...one, execution_id: `exe_${index}`, agent_id: 1 }))
          await addExecutions(msp, rows)
          const expected = rows
            .filter((one) => supervised === null || one.supervised === supervised)
            .sort(order)
            .map(({ execution_id }) => execution_id)
          expect(await walk(list, { page_size, supervised })).toEqual(expected)
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('pages with numbers', () => {
  beforeAll(async () => {
    await msp.database.prisma.execution.deleteMany({ where: { tenant_id: msp.tenant_id } })
    const rows = Array.from({ length: 5 }, (_, n) => ({ execution_id: `n${n}`, agent_id: 1, run_count: n }))
    await addExecutions(msp, rows)
  })

  const ask = async (args: Arguments) => {
    const { items, pagination } = await mixed.page(context(), args, null)
    return { ids: items.map(({ execution_id }) => execution_id), ...pagination }
  }

  it('are those of the walk, and go on by cursor', async () => {
    const pages = [1, 2, 3, 4].map((page) => ask({ page, page_size: 2 }))
    expect((await Promise.all(pages)).map(({ ids, has_more }) => [ids, has_more])).toEqual([
      [['n0', 'n1'], true],
      [['n2', 'n3'], true],
      [['n4'], false],
      [[], false],
    ])
    const { next_cursor } = await ask({ page: 2, page_size: 2 })
    expect((await ask({ cursor: next_cursor, page_size: 2 })).ids).toEqual(['n4'])
  })

  it('take no cursor beside the number', async () => {
    const { next_cursor } = await ask({ page_size: 2 })
    await expect(ask({ page: 1, cursor: next_cursor })).rejects.toMatchObject({
      code: 'request_validation_failed',
      details: { field_errors: [{ field: 'page', location: 'query', code: 'exclusive' }] },
    })
  })

  it('are arguments of lists that declare them', () => {
    expect([Object.keys(mixed.args), Object.keys(nullsBetween.args)]).toEqual([
      ['supervised', 'page', 'page_size', 'cursor'],
      ['supervised', 'page_size', 'cursor'],
    ])
  })
})

describe('a cursor', () => {
  it('of other keys is refused', async () => {
    const renamed = defineList<Row>()({
      ...declaration,
      name: 'test.mixed',
      order: [ascending('execution_id', 'text')],
    })
    const { pagination } = await mixed.page(context(), { page_size: 1 }, null)
    await expect(renamed.page(context(), { cursor: pagination.next_cursor }, null)).rejects.toMatchObject({
      code: 'invalid_cursor',
      details: { reason: 'MALFORMED' },
    })
  })
})

describe('a page', () => {
  it('is one statement, of the columns that are wanted and those of the order', async () => {
    const wanted = new Set(['status', 'unknown'])
    const { items } = await mixed.page(context(), { page_size: 1 }, wanted)
    expect(Object.keys(items[0] ?? {}).sort()).toEqual(['execution_id', 'finished_at', 'run_count', 'status'])
    expect(await countStatements(msp.database, () => mixed.page(context(), {}, wanted))).toBe(1)
  })
})
