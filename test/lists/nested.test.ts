/** Every list in the rows of another one: only GraphQL has them. */
import { type GraphQLObjectType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { published } from '../setup/api.ts'
import { testApp } from '../setup/app.ts'
import { graphql } from '../setup/graphql.ts'
import type { NestedList } from '../setup/suites/area.ts'
import { SAMPLERS, together } from '../setup/suites/areas.ts'
import { inOrder, type ListSampler } from '../setup/suites/sampler.ts'
import { type Msp, world } from '../setup/world.ts'

const { schema } = await published()
const NESTED = together(({ nested_lists }) => nested_lists)

const fieldsWithCursor = (type: GraphQLObjectType): string[] =>
  Object.values(type.getFields())
    .filter(({ args }) => args.some(({ name }) => name === 'cursor'))
    .map(({ name }) => `${type.name}.${name}`)

beforeAll(testApp)

it('the nested lists are those of the schema', () => {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType)
  const all = types.filter((type) => type !== schema.getQueryType()).flatMap(fieldsWithCursor)
  const missing = all.filter((name) => !(name in NESTED))
  expect(
    missing,
    'test/areas/<area>/suites.ts of the area that has the rows lacks these in nested_lists',
  ).toEqual([])
  expect(all.sort()).toEqual(Object.keys(NESTED).sort())
})

describe.each(Object.entries(NESTED))('the nested list %s', (name, { list, parent, parents }) => {
  const sampler = SAMPLERS[list] as ListSampler<Record<string, unknown>>
  const [, field = ''] = name.split('.')
  const [[first, ofFirst], [, ofSecond]] = parents as [NestedList['parents'][0], NestedList['parents'][0]]

  async function withRows(): Promise<Msp> {
    const msp = await world()
    await sampler.add(
      msp,
      Array.from({ length: 40 }, (_, n) => n),
    )
    return msp
  }

  async function page(msp: Msp, of: string, page_size: number, cursor?: string) {
    const args = `page_size: ${page_size}${cursor === undefined ? '' : `, cursor: ${JSON.stringify(cursor)}`}`
    const rows = `items { ${sampler.id} } pagination { next_cursor has_more }`
    const { data, code } = await graphql(msp.owner, `{ parent: ${of} { ${field}(${args}) { ${rows} } } }`)
    return { code, ...data?.parent?.[field] }
  }

  it('is walked in its order, each row once', async () => {
    const msp = await withRows()
    const [keys = []] = Object.values(sampler.orders)
    const rows = (await sampler.rows(msp)).filter((row) => row[parent] === first)
    const expected = rows.sort(inOrder(keys)).map((row) => row[sampler.id])
    expect(expected.length).toBeGreaterThan(4)
    for (const page_size of [1, 4, 200]) {
      const walked: unknown[] = []
      let cursor: string | undefined
      do {
        const { items, pagination } = await page(msp, ofFirst, page_size, cursor)
        walked.push(...items.map((item: Record<string, unknown>) => item[sampler.id]))
        expect(pagination.has_more).toBe(walked.length < expected.length)
        cursor = pagination.next_cursor ?? undefined
      } while (cursor)
      expect(walked).toEqual(expected)
    }
  })

  it('refuses a cursor of another parent, of another tenant, and one that was tampered with', async () => {
    const [msp, other] = [await withRows(), await withRows()]
    const { next_cursor } = (await page(msp, ofFirst, 1)).pagination
    expect((await page(msp, ofFirst, 2, next_cursor)).code).toBeUndefined()
    const tampered = [`${next_cursor}A`, next_cursor.slice(1), 'x']
    const refused = [
      await page(msp, ofSecond, 2, next_cursor),
      await page(other, ofFirst, 2, next_cursor),
      ...(await Promise.all(tampered.map((cursor) => page(msp, ofFirst, 2, cursor)))),
    ]
    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 'invalid_cursor'))
  })
})
