import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  addedBy,
  areSame,
  type Filter,
  filterProblems,
  fits,
  mergedFilters,
  removableFrom,
  removalProblem,
} from '../../src/areas/company-filters/rules.ts'

const option = (id: number) => ({ id, name: `Option ${id}` })
const FIELDS = ['type', 'territory', 'constructor'].map((field_name) => ({
  field_name,
  options: [1, 2, 3, 4].map(option),
}))
const filter = (field_name: string, ...ids: number[]): Filter => ({
  field_name,
  selected_options: ids.map(option),
})

describe('a company', () => {
  it.each([
    [[], {}, true],
    [[filter('type', 1)], { type: 1 }, true],
    [[filter('type', 1, 2)], { type: 2 }, true],
    [[filter('type', 1)], { type: 2 }, false],
    [[filter('type', 1)], {}, false],
    [[filter('type', 1)], { territory: 1 }, false],
    [[filter('type', 1), filter('territory', 2)], { type: 1, territory: 2 }, true],
    [[filter('type', 1), filter('territory', 2)], { type: 1, territory: 1 }, false],
    [[filter('constructor', 1)], {}, false],
  ] as const)('with %j, %j: fits %s', (filters, attributes, expected) => {
    expect(fits(filters, attributes)).toBe(expected)
  })
})

const given = fc.array(
  fc.record({
    field_name: fc.constantFrom('type', 'territory', 'constructor'),
    selected_options: fc.array(fc.integer({ min: 1, max: 4 }).map(option), { minLength: 1, maxLength: 5 }),
  }),
  { maxLength: 5 },
)
const companies = fc.uniqueArray(
  fc.record({
    psa_company_id: fc.nat(12).map((number) => `psa_${number}`),
    attributes: fc.record(
      { type: fc.integer({ min: 1, max: 4 }), territory: fc.integer({ min: 1, max: 4 }) },
      { requiredKeys: [] },
    ),
  }),
  { selector: ({ psa_company_id }) => psa_company_id },
)
const scope = fc.uniqueArray(fc.nat(14).map((number) => `psa_${number}`))

describe('a replacement of the filters', () => {
  test('widens the scope by the companies that fit, and takes none from it', () => {
    fc.assert(
      fc.property(given, companies, scope, (filters, all, in_scope) => {
        const merged = mergedFilters(filters, FIELDS, [])
        const before = new Set(in_scope)
        const added = addedBy(merged, all, before).map(({ psa_company_id }) => psa_company_id)
        const after = new Set([...before, ...added])
        for (const id of added) expect(before.has(id)).toBe(false)
        for (const { psa_company_id, attributes } of all)
          if (fits(merged, attributes)) expect(after.has(psa_company_id)).toBe(true)
        // The same filters again add nothing.
        expect(addedBy(merged, all, after)).toEqual([])
        const rows = [...after].map((psa_company_id) => ({ psa_company_id }))
        const removable = removableFrom(merged, all, rows).map(({ psa_company_id }) => psa_company_id)
        // Whatever was added fits, and so only companies of the old scope are removable.
        for (const id of removable) expect(before.has(id) && !added.includes(id)).toBe(true)
        const fitting = new Set(
          all
            .filter(({ attributes }) => fits(merged, attributes))
            .map(({ psa_company_id }) => psa_company_id),
        )
        const left = [...after].filter((id) => !removable.includes(id))
        if (merged.length > 0) expect(new Set(left)).toEqual(fitting)
      }),
    )
  })

  test('means the same in any order, split or repeated', () => {
    fc.assert(
      fc.property(given, fc.nat(), (filters, seed) => {
        const merged = mergedFilters(filters, FIELDS, [])
        const split = filters.flatMap(({ field_name, selected_options }) =>
          [...selected_options].reverse().map((each) => ({ field_name, selected_options: [each, each] })),
        )
        const turn = split.length > 0 ? seed % split.length : 0
        const shuffled = [...split.slice(turn), ...split.slice(0, turn)].reverse()
        expect(mergedFilters(shuffled, FIELDS, [])).toEqual(merged)
        expect(areSame(mergedFilters(shuffled, FIELDS, []), merged)).toBe(true)
      }),
    )
  })

  test('by what is stored is the same, whatever the PSA has now', () => {
    fc.assert(
      fc.property(given, fc.subarray(FIELDS), (filters, left) => {
        const stored = mergedFilters(filters, FIELDS, [])
        const renamed = left.map((field) => ({
          ...field,
          options: field.options.slice(1).map(({ id }) => ({ id, name: 'Renamed' })),
        }))
        expect(filterProblems(stored, renamed, stored)).toEqual([])
        expect(areSame(mergedFilters(stored, renamed, stored), stored)).toBe(true)
      }),
    )
  })
})

test('the names of options are those of the PSA, and of stored filters if it has none', () => {
  const stored = [
    {
      field_name: 'type',
      selected_options: [
        { id: 1, name: 'Old' },
        { id: 9, name: 'Gone' },
      ],
    },
  ]
  expect(mergedFilters(stored, FIELDS, stored)).toEqual([
    { field_name: 'type', selected_options: [option(1), { id: 9, name: 'Gone' }] },
  ])
})

test('unknown fields and options are named, each with its path', () => {
  const wrong = [filter('type', 1, 7), filter('size', 1), filter('territory', 2), filter('__proto__', 1)]
  expect(filterProblems(wrong, FIELDS, []).map(({ field, code }) => [field, code])).toEqual([
    ['filters.0.selected_options.1.id', 'unknown'],
    ['filters.1.field_name', 'unknown'],
    ['filters.3.field_name', 'unknown'],
  ])
})

test.each([
  [{}, null],
  [{ expected_count: 2 }, null],
  [{ expected_count: 1 }, { count: 2 }],
  [{ expected_count: 0 }, { count: 2 }],
  [{ psa_company_ids: ['a'] }, null],
  [{ psa_company_ids: ['a'], expected_count: 2 }, null],
  [{ psa_company_ids: ['a'], expected_count: 1 }, { count: 2 }],
  [{ psa_company_ids: ['a', 'x', 'x', 'y'] }, { psa_company_ids: ['x', 'y'] }],
] as const)('a removal of two companies by %j has the problem %j', (removal, problem) => {
  expect(removalProblem(removal, new Set(['a', 'b']))).toEqual(problem)
})
