/** Decides whether a ticket or time entry meets the conditions of an agent. */
import { isObject } from '../../../../lib/is-object.ts'
import { CONDITION_FIELDS, type ConditionsName, type FieldKind } from './conditions.ts'

type FactValue = string | number | boolean | null

/** The values of the fields that conditions name. null: the PSA has no value, or does not tell it. */
export type FactsOf<Name extends ConditionsName> = Readonly<
  Record<keyof (typeof CONDITION_FIELDS)[Name], FactValue>
>
type Facts = FactsOf<'ticket_conditions'> | FactsOf<'time_entry_conditions'>

/** A condition that was compared, with the value that it found. */
interface Comparison {
  field: string
  operator: string
  expected: unknown
  actual: FactValue
  holds: boolean
}

export interface Matching {
  met: boolean
  /** All conditions, in their order. */
  comparisons: Comparison[]
}

interface Condition {
  field: string
  operator: string
  value: unknown
}

// Contract silent: texts are compared without regard to letter case, to white space around them, and to how Unicode
// composes their characters.
const comparable = (text: string): string => text.normalize('NFC').trim().toLowerCase()

type Test<Value> = (actual: Value, expected: Value) => boolean

const TEXT = new Map<string, Test<string>>([
  ['equals', (actual, expected) => actual === expected],
  ['contains', (actual, expected) => actual.includes(expected)],
  ['starts_with', (actual, expected) => actual.startsWith(expected)],
])

const NUMBER = new Map<string, Test<number>>([
  ['equals', (actual, expected) => actual === expected],
  ['greater_than', (actual, expected) => actual > expected],
  ['less_than', (actual, expected) => actual < expected],
  ['at_least', (actual, expected) => actual >= expected],
  ['at_most', (actual, expected) => actual <= expected],
])

const FLAG = new Map<string, Test<boolean>>([['equals', (actual, expected) => actual === expected]])

/** The negating operators: each holds if and only if its counterpart does not. */
const NEGATED = new Map([
  ['not_equals', 'equals'],
  ['not_contains', 'contains'],
  ['not_in', 'in'],
  ['is_not_empty', 'is_empty'],
])

// Contract silent: a text that is not there is empty.
function textHolds(actual: string, operator: string, value: unknown): boolean | null {
  if (operator === 'is_empty') return actual === ''
  if (operator === 'in') {
    if (!Array.isArray(value)) return null
    return value.some((item) => typeof item === 'string' && comparable(item) === actual)
  }
  const test = TEXT.get(operator)
  return test && typeof value === 'string' ? test(actual, comparable(value)) : null
}

// Contract silent: a number that is not there equals no number, and is on neither side of one; a flag that is not there
// is false.
function plainHolds(kind: FieldKind, actual: FactValue, operator: string, value: unknown): boolean | null {
  if (kind === 'TEXT') return textHolds(comparable(String(actual ?? '')), operator, value)
  if (kind === 'NUMBER') {
    const test = NUMBER.get(operator)
    if (!test || typeof value !== 'number') return null
    return typeof actual === 'number' && test(actual, value)
  }
  const test = FLAG.get(operator)
  return test && typeof value === 'boolean' ? test(actual === true, value) : null
}

// A field has the same kind in both.
const KINDS = new Map<string, FieldKind>(
  Object.values(CONDITION_FIELDS).flatMap((fields) => Object.entries<FieldKind>(fields)),
)

type Values = ReadonlyMap<string, FactValue>

/** A condition on a field that the facts do not have, or one that another release stored for itself, does not hold. */
function holds(facts: Values, { field, operator, value }: Condition): boolean {
  const kind = KINDS.get(field)
  const actual = facts.get(field)
  if (kind === undefined || actual === undefined) return false
  const plain = NEGATED.get(operator) ?? operator
  const result = plainHolds(kind, actual, plain, value)
  return result !== null && result === (plain === operator)
}

const conditionsIn = (config: Readonly<Record<string, unknown>>): Condition[] =>
  (Array.isArray(config.rules) ? config.rules : []).map((rule: unknown) => {
    const { field, operator, value = null } = isObject(rule) ? rule : {}
    return { field: String(field), operator: String(operator), value }
  })

const SHOWN_CHARACTERS = 200

const shown = (value: FactValue = null): FactValue =>
  typeof value === 'string' ? value.slice(0, SHOWN_CHARACTERS) : value

// Contract silent: an agent without conditions takes everything, be it that ALL or ANY of none have to hold.
/** Decides whether the facts meet `ticket_conditions` or `time_entry_conditions`; null is an agent that has none. */
export function meetsConditions(conditions: unknown, facts: Facts): Matching {
  const all = isObject(conditions) ? conditionsIn(conditions) : []
  const values = new Map<string, FactValue>(Object.entries(facts))
  const comparisons = all.map((condition) => ({
    field: condition.field,
    operator: condition.operator,
    expected: condition.value,
    actual: shown(values.get(condition.field)),
    holds: holds(values, condition),
  }))
  const is_any = isObject(conditions) && conditions.match === 'ANY' && all.length > 0
  const met = is_any ? comparisons.some((one) => one.holds) : comparisons.every((one) => one.holds)
  return { met, comparisons }
}

/** The fields that the conditions name. */
export const fieldsIn = (conditions: unknown): ReadonlySet<string> =>
  new Set(isObject(conditions) ? conditionsIn(conditions).map(({ field }) => field) : [])
