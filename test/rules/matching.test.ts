import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CONDITION_FIELDS,
  type ConditionsName,
  conditionSchema,
  type FieldKind,
  OPERATORS,
} from '../../src/areas/agents/conditions/rules/conditions.ts'
import { ticketFacts, timeEntryFacts } from '../../src/areas/agents/conditions/rules/facts.ts'
import { fieldsIn, meetsConditions } from '../../src/areas/agents/conditions/rules/matching.ts'

const NOW = new Date('2027-03-01T12:00:00Z')

const TICKET = {
  title: 'VPN drops every hour',
  description: null,
  status: 'In progress',
  priority: 'High',
  board: 'Service desk',
  type: 'Incident',
  category: null,
  assignee_psa_id: 201,
  created_at: new Date('2027-03-01T06:00:00Z'),
}
const NAMES = { company: 'Caffè Nero', contact: 'Ana Ruiz', assignee: 'Bo Chen' }
const FACTS = ticketFacts(TICKET, NAMES, NOW)
const ENTRY = timeEntryFacts(
  { minutes: 45, note: ' Replaced the disk ', agreement: 'Managed services' },
  { board: 'Service desk', company: null, technician: 'Bo Chen' },
)

const one = (field: string, operator: string, value?: unknown) => ({
  match: 'ALL',
  rules: [{ field, operator, ...(value !== undefined && { value }) }],
})

const met = (conditions: unknown, facts = FACTS) => meetsConditions(conditions, facts).met

describe('one condition on a ticket', () => {
  it.each<[field: string, operator: string, value: unknown, holds: boolean]>([
    ['status', 'equals', 'In progress', true],
    ['status', 'equals', ' in PROGRESS ', true],
    ['status', 'equals', 'In', false],
    ['status', 'not_equals', 'closed', true],
    ['status', 'not_equals', 'in progress', false],
    ['subject', 'contains', 'vpn', true],
    ['subject', 'contains', 'wifi', false],
    ['subject', 'not_contains', 'wifi', true],
    ['subject', 'not_contains', 'VPN', false],
    ['subject', 'starts_with', 'vpn D', true],
    ['subject', 'starts_with', 'drops', false],
    ['priority', 'in', ['low', 'HIGH'], true],
    ['priority', 'in', ['low'], false],
    ['priority', 'not_in', ['low'], true],
    ['priority', 'not_in', ['low', 'high'], false],
    ['board', 'equals', 'Service desk', true],
    ['queue', 'equals', 'Service desk', true],
    ['company', 'equals', 'Caffe\u0300 Nero', true],
    ['contact', 'equals', 'ana ruiz', true],
    ['assignee', 'equals', 'bo chen', true],
    ['description', 'is_empty', undefined, true],
    ['description', 'is_not_empty', undefined, false],
    ['description', 'equals', 'x', false],
    ['description', 'not_equals', 'x', true],
    ['description', 'contains', 'x', false],
    ['description', 'not_contains', 'x', true],
    ['category', 'in', ['x'], false],
    ['category', 'not_in', ['x'], true],
    ['category', 'starts_with', 'x', false],
    ['type', 'equals', 'incident', true],
    ['source', 'is_empty', undefined, true],
    ['tag', 'is_empty', undefined, true],
    ['subject', 'is_not_empty', undefined, true],
    ['age_hours', 'equals', 6, true],
    ['age_hours', 'not_equals', 6, false],
    ['age_hours', 'greater_than', 6, false],
    ['age_hours', 'greater_than', 5.9, true],
    ['age_hours', 'less_than', 6, false],
    ['age_hours', 'less_than', 6.1, true],
    ['age_hours', 'at_least', 6, true],
    ['age_hours', 'at_most', 6, true],
    ['age_hours', 'at_most', 5, false],
    ['is_assigned', 'equals', true, true],
    ['is_assigned', 'equals', false, false],
    ['is_vip', 'equals', true, false],
    ['is_vip', 'equals', false, true],
  ])('%s %s %j: %s', (field, operator, value, holds) => {
    expect(met(one(field, operator, value))).toBe(holds)
  })
})

describe('one condition on a time entry', () => {
  it.each<[field: string, operator: string, value: unknown, holds: boolean]>([
    ['minutes', 'at_least', 45, true],
    ['minutes', 'less_than', 45, false],
    ['note', 'equals', 'replaced the disk', true],
    ['technician', 'equals', 'Bo Chen', true],
    ['board', 'in', ['Service desk'], true],
    ['company', 'is_empty', undefined, true],
    ['work_type', 'is_empty', undefined, true],
    ['agreement', 'equals', 'Managed services', true],
    ['is_billable', 'equals', true, false],
  ])('%s %s %j: %s', (field, operator, value, holds) => {
    expect(meetsConditions(one(field, operator, value), ENTRY).met).toBe(holds)
  })
})

describe('a condition that this release cannot read', () => {
  it.each<[field: string, operator: string, value: unknown]>([
    ['status', 'resembles', 'x'],
    ['status', 'not_resembles', 'x'],
    ['status', 'equals', 3],
    ['status', 'not_equals', null],
    ['status', 'not_in', 'Closed'],
    ['age_hours', 'not_equals', '6'],
    ['age_hours', 'contains', 6],
    ['is_vip', 'equals', 'false'],
    ['minutes', 'at_least', 0],
    ['constructor', 'is_empty', undefined],
    ['__proto__', 'is_not_empty', undefined],
    ['status', 'toString', 'x'],
  ])('%s %s %j does not hold', (field, operator, value) => {
    expect(met(one(field, operator, value))).toBe(false)
  })

  it.each([[{ rules: [null] }], [{ rules: ['status'] }], [{ rules: [{}] }]])(
    '%j does not hold',
    (conditions) => {
      expect(met(conditions)).toBe(false)
    },
  )
})

describe('conditions as a whole', () => {
  it.each([
    [null],
    [undefined],
    ['x'],
    [[]],
    [{}],
    [{ rules: [] }],
    [{ match: 'ANY', rules: [] }],
    [{ rules: 'x' }],
  ])('%j: everything meets them', (conditions) => {
    expect(meetsConditions(conditions, FACTS)).toEqual({ met: true, comparisons: [] })
  })

  it('tell what was compared, with what was expected and what was there', () => {
    const long = ticketFacts({ ...TICKET, description: 'x'.repeat(1000) }, NAMES, NOW)
    const conditions = {
      rules: [
        { field: 'status', operator: 'equals', value: 'New' },
        { field: 'priority', operator: 'equals', value: 'high' },
        { field: 'is_vip', operator: 'equals', value: true },
        { field: 'description', operator: 'is_empty' },
      ],
    }
    expect(meetsConditions(conditions, long).comparisons).toEqual([
      { field: 'status', operator: 'equals', expected: 'New', actual: 'In progress', holds: false },
      { field: 'priority', operator: 'equals', expected: 'high', actual: 'High', holds: true },
      { field: 'is_vip', operator: 'equals', expected: true, actual: null, holds: false },
      { field: 'description', operator: 'is_empty', expected: null, actual: 'x'.repeat(200), holds: false },
    ])
  })

  it('name the fields that they need', () => {
    expect([
      ...fieldsIn({ rules: [{ field: 'status' }, { field: 'company' }, { field: 'status' }] }),
    ]).toEqual(['status', 'company'])
    expect([...fieldsIn(null)]).toEqual([])
  })

  it('take a ticket from the future as new', () => {
    expect(ticketFacts(TICKET, NAMES, new Date('2027-02-01')).age_hours).toBe(0)
  })
})

const NAMES_OF_CONDITIONS = Object.keys(CONDITION_FIELDS) as ConditionsName[]

const text = fc.oneof(fc.constantFrom('New', 'new ', 'In progress', '', 'ÀB', 'a\u0300b'), fc.string())

const VALUES: Readonly<Record<FieldKind, fc.Arbitrary<unknown>>> = {
  TEXT: text,
  NUMBER: fc.integer({ min: -3, max: 9 }),
  FLAG: fc.boolean(),
}

const valueFor = (kind: FieldKind, operator: string): fc.Arbitrary<unknown> => {
  if (operator === 'in' || operator === 'not_in') return fc.array(text, { minLength: 1, maxLength: 4 })
  return operator.startsWith('is_') ? fc.constant(null) : VALUES[kind]
}

/** Conditions of every field and operator, and facts of every value and of none. */
const cases = fc.constantFrom(...NAMES_OF_CONDITIONS).chain((name) => {
  const fields = Object.entries(CONDITION_FIELDS[name]) as [string, FieldKind][]
  const facts = fc.record(
    Object.fromEntries(fields.map(([field, kind]) => [field, fc.option(VALUES[kind])])),
  ) as fc.Arbitrary<typeof FACTS>
  const rule = fc
    .constantFrom(...fields)
    .chain(([field, kind]) =>
      fc
        .constantFrom(...OPERATORS[kind])
        .chain((operator) => valueFor(kind, operator).map((value) => ({ field, operator, value }))),
    )
  const rules = fc.array(rule, { minLength: 1, maxLength: 5 })
  return fc.record({ rules, facts, match: fc.constantFrom('ALL', 'ANY') })
})

const OPPOSITES = [
  ['equals', 'not_equals'],
  ['contains', 'not_contains'],
  ['in', 'not_in'],
  ['is_empty', 'is_not_empty'],
] as const

describe('any conditions', () => {
  it('are met if ALL or ANY of them alone are, and each is told as it is alone', () => {
    fc.assert(
      fc.property(cases, ({ rules, facts, match }) => {
        const alone = rules.map((rule) => met({ rules: [rule] }, facts))
        const expected = match === 'ALL' ? alone.every(Boolean) : alone.some(Boolean)
        const { met: whole, comparisons } = meetsConditions({ match, rules }, facts)
        expect(whole).toBe(expected)
        expect(comparisons.map(({ field, operator, holds }) => [field, operator, holds])).toEqual(
          rules.map(({ field, operator }, index) => [field, operator, alone[index]]),
        )
      }),
    )
  })

  it('hold if their opposites do not, also of what is not there', () => {
    fc.assert(
      fc.property(cases, ({ rules: [rule], facts }) => {
        for (const pair of OPPOSITES) {
          const index = pair.indexOf(rule?.operator as never)
          const opposite = pair[1 - index]
          const is_flag =
            (CONDITION_FIELDS.ticket_conditions as Record<string, string>)[rule?.field ?? ''] === 'FLAG'
          if (index < 0 || is_flag || rule?.field === 'is_billable') continue
          expect(met({ rules: [{ ...rule, operator: opposite }] }, facts)).toBe(
            !met({ rules: [rule] }, facts),
          )
        }
      }),
    )
  })

  it('do not depend on the letter case of what is stored in the PSA', () => {
    fc.assert(
      fc.property(cases, ({ rules, facts, match }) => {
        const ascii = rules.every(({ value }) => /^[\x20-\x7e]*$/.test(JSON.stringify(value)))
        fc.pre(ascii && /^[\x20-\x7e]*$/.test(JSON.stringify(facts)))
        const upper = Object.fromEntries(
          Object.entries(facts).map(([field, value]) => [
            field,
            typeof value === 'string' ? value.toUpperCase() : value,
          ]),
        ) as typeof FACTS
        expect(met({ match, rules }, upper)).toBe(met({ match, rules }, facts))
      }),
    )
  })
})

describe('the kinds of fields', () => {
  it('are the same in tickets and in time entries', () => {
    const { ticket_conditions, time_entry_conditions } = CONDITION_FIELDS
    const shared = Object.entries(ticket_conditions).filter(([field]) => field in time_entry_conditions)
    expect(shared.length).toBeGreaterThan(0)
    for (const [field, kind] of shared)
      expect((time_entry_conditions as Record<string, string>)[field]).toBe(kind)
  })

  it.each(NAMES_OF_CONDITIONS)('of %s have facts for every field that a condition may name', (name) => {
    const { properties } = conditionSchema(name) as { properties: { field: { enum: string[] } } }
    const facts = name === 'ticket_conditions' ? FACTS : ENTRY
    expect(Object.keys(facts).sort()).toEqual([...properties.field.enum].sort())
  })
})
