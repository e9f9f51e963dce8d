/** Statements of the embedded database, beside those of PGlite's own `query`. */
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { parsers } from '../../src/db/column-types.ts'
import { createQuery, type Query } from '../../src/db/embedded/query.ts'

let pglite: PGlite
let query: Query

beforeAll(async () => {
  pglite = await PGlite.create('memory://', { parsers })
  query = createQuery(pglite)
})

afterAll(() => pglite.close())

beforeEach(async () => void (await pglite.exec('drop table if exists thing')))

const VALUES: [type: string, value: unknown][] = [
  ['text', ''],
  ['text', 'naïve 日本 \u{1f600} \' " \\ $1'],
  ['text', null],
  ['int', undefined],
  ['int', 7],
  ['int', '7'],
  ['int8', 9_007_199_254_740_991n],
  ['numeric', 0.1],
  ['boolean', false],
  ['boolean', 'true'],
  ['timestamptz', new Date('2026-03-29T01:30:00.123Z')],
  ['timestamptz', '2026-03-29T01:30:00.123456Z'],
  ['date', '2026-02-28'],
  ['jsonb', { nested: ['a', 1, null, { b: true }] }],
  ['jsonb', '"text"'],
  ['json', []],
  ['text[]', ['a', '', null, 'b,c', '"d"', '\\']],
  ['int[]', []],
  ['timestamptz[]', [new Date('2026-01-31T00:00:00Z')]],
  ['bytea', new Uint8Array([0, 255, 39, 92])],
]

test('values of every type are written and read as by PGlite', async () => {
  for (const [type, value] of VALUES) {
    const text = `select $1::${type} as value, pg_typeof($1::${type})::text as type`
    const expected = await pglite.query(text, [value])
    for (const time of ['first', 'second', 'third'])
      expect([type, time, await query(text, [value])]).toEqual([type, time, expected])
  }
})

test('the answer has the columns, the rows in either form, and how many rows were written', async () => {
  await pglite.exec('create table thing (id int primary key, name text)')
  const statements: [text: string, values: unknown[]][] = [
    [`insert into thing select n, 'thing ' || n from generate_series(1, $1::int) n`, [3]],
    ['select * from thing where id > $1 order by id', [1]],
    ['select * from thing where id > $1', [9]],
    ['update thing set name = $2 where id = $1 returning *', [2, 'changed']],
    ['delete from thing', []],
  ]
  const run = async (by: Query) => {
    const answers: unknown[] = []
    for (const [text, values] of statements) answers.push(await by(text, values, { rowMode: 'array' }))
    return answers
  }
  expect(await run(query)).toEqual(
    await run((text, values, options) => pglite.query(text, values as unknown[], options)),
  )
})

const PREPARED = `select generic_plans::int as generic from pg_prepared_statements where statement = $1`
const ALL = 'select count(*)::int as many from pg_prepared_statements'

test('a statement is prepared at its second use; from then on it is one message to the database', async () => {
  const sent = vi.spyOn(pglite, 'execProtocolStream')
  const text = 'select $1::int + 1 as next'
  for (const value of [1, 2, 3]) expect((await query(text, [value])).rows).toEqual([{ next: value + 1 }])
  expect(sent).toHaveBeenCalledTimes(4)
  sent.mockRestore()
  expect((await query(PREPARED, [text])).rows).toEqual([{ generic: 0 }])
})

test('one plan serves all values of a statement; if it is told to, each has its own', async () => {
  await pglite.exec('create table thing (id int primary key)')
  const generic = async (text: string) =>
    (await query<{ generic: number }>(PREPARED, [text])).rows[0]?.generic
  const [shared, planned] = [
    'select id from thing where id = $1',
    'select id as own from thing where id = $1',
  ]
  for (let value = 0; value < 50; value++) {
    await query(shared, [value])
    await query(planned, [value], { custom_plan: true })
  }
  expect([await generic(shared), await generic(planned)]).toEqual([44, undefined])
})

test('the least recently used statements are closed', async () => {
  const text = (number: number) => `select ${number} as number`
  await query(ALL)
  for (let number = 0; number < 400; number++) {
    for (const time of [1, 2]) expect([time, (await query(text(number))).rows]).toEqual([time, [{ number }]])
    expect((await query(text(0))).rows).toEqual([{ number: 0 }])
  }
  const [{ many }] = (await query<{ many: number }>(ALL)).rows as [{ many: number }]
  expect(many).toBeLessThanOrEqual(301)
  const names = 'select statement from pg_prepared_statements where statement = any($1)'
  expect((await query(names, [[text(0), text(1), text(399)]])).rows).toHaveLength(2)
})

test('a statement whose columns have changed is prepared anew', async () => {
  await pglite.exec('create table thing (id int primary key); insert into thing values (1)')
  const all = 'select * from thing where id = $1'
  for (const time of [1, 2]) expect([time, (await query(all, [1])).rows]).toEqual([time, [{ id: 1 }]])
  await pglite.exec(`alter table thing add column name text default 'one'`)
  await expect(query(all, [1])).rejects.toMatchObject({ code: '0A000' })
  expect((await query(all, [1])).rows).toEqual([{ id: 1, name: 'one' }])
})

test('a statement that fails has no effect, on others neither', async () => {
  await pglite.exec('create table thing (id int primary key)')
  const insert = 'insert into thing select n / ($1 - n) from generate_series(1, 3) n'
  const failures: [text: string, values: unknown[], code: string][] = [
    ['select from nowhere where', [], '42601'],
    ['select $1::int from nowhere', [1], '42P01'],
    ['select $1::int', ['x'], '22P02'],
    [insert, [3], '22012'],
    ['select $1::int', [], '08P01'],
  ]
  for (const [text, values, code] of failures) {
    for (const time of ['first', 'second', 'third'])
      await expect(query(text, values), `${text}, ${time}`).rejects.toMatchObject({ code })
    expect((await query('select $1::int as one', [1])).rows).toEqual([{ one: 1 }])
  }
  expect((await query('select * from thing')).rows).toEqual([])
})

test('within a transaction a failure ends it', async () => {
  await pglite.exec('create table thing (id int primary key)')
  const begun = pglite.transaction(async () => {
    await query('insert into thing values ($1)', [1])
    await query('insert into thing values ($1)', [1]).catch(() => {})
    await expect(query('select 1')).rejects.toMatchObject({ code: '25P02' })
  })
  await expect(begun).rejects.toThrow()
  expect((await query('select * from thing')).rows).toEqual([])
})
