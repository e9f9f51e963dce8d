import { describe, expect, it } from 'vitest'
import { fields, list, number, numbers, oneOf, optional, table, text } from '../../src/demo/table.ts'

const state = oneOf(['ACTIVE', 'DRAFT'])

describe('a table of demo data', () => {
  it('has a row for each line, and reads each cell by its column', () => {
    const columns = { name: text, state, days: optional(number), ids: numbers, tags: list, params: fields }
    const rows = table(
      columns,
      `
      One | ACTIVE | 0.5 | 1, 2 | a, b | "to": "c"
      Two | DRAFT  |     |      |      |
`,
    )
    expect(rows).toEqual([
      { name: 'One', state: 'ACTIVE', days: 0.5, ids: [1, 2], tags: ['a', 'b'], params: { to: 'c' } },
      { name: 'Two', state: 'DRAFT', days: null, ids: [], tags: [], params: {} },
    ])
  })

  it.each([
    ['a cell too many', 'One | ACTIVE | 1'],
    ['a cell too few', 'One'],
    ['another value than those of an enumeration', 'One | active'],
  ])('is refused with %s', (_name, lines) => {
    expect(() => table({ name: text, state }, lines)).toThrow()
  })

  it.each(['', 'x'])('is refused with a number that is %j', (cell) => {
    expect(() => table({ days: number }, `${cell}`)).toThrow(/is not a number/)
  })
})
