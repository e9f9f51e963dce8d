/** Conditions on tickets and time entries: the fields, their kinds, and the operators of each kind. */
import { implies, type JsonSchema } from '../../../../lib/json-schema.ts'

export type FieldKind = 'TEXT' | 'NUMBER' | 'FLAG'

export const CONDITION_FIELDS = {
  ticket_conditions: {
    board: 'TEXT',
    queue: 'TEXT',
    status: 'TEXT',
    priority: 'TEXT',
    type: 'TEXT',
    category: 'TEXT',
    source: 'TEXT',
    subject: 'TEXT',
    description: 'TEXT',
    company: 'TEXT',
    contact: 'TEXT',
    assignee: 'TEXT',
    tag: 'TEXT',
    age_hours: 'NUMBER',
    is_vip: 'FLAG',
    is_assigned: 'FLAG',
  },
  time_entry_conditions: {
    board: 'TEXT',
    company: 'TEXT',
    technician: 'TEXT',
    work_type: 'TEXT',
    agreement: 'TEXT',
    note: 'TEXT',
    minutes: 'NUMBER',
    is_billable: 'FLAG',
  },
} as const satisfies Record<string, Readonly<Record<string, FieldKind>>>

export type ConditionsName = keyof typeof CONDITION_FIELDS

/** The operators that compare with one value, by kind of field. */
const COMPARE = {
  TEXT: ['equals', 'not_equals', 'contains', 'not_contains', 'starts_with'],
  NUMBER: ['equals', 'not_equals', 'greater_than', 'less_than', 'at_least', 'at_most'],
  FLAG: ['equals'],
} as const

/** The operators that compare with a list of texts, and those that take no value. */
const AMONG = ['in', 'not_in']
const ALONE = ['is_empty', 'is_not_empty']

export const OPERATORS: Readonly<Record<FieldKind, readonly string[]>> = {
  ...COMPARE,
  TEXT: [...COMPARE.TEXT, ...AMONG, ...ALONE],
}

const TEXT_VALUE = { type: 'string', maxLength: 1000 }

const VALUE: Readonly<Record<FieldKind, JsonSchema>> = {
  TEXT: TEXT_VALUE,
  NUMBER: { type: 'number' },
  FLAG: { type: 'boolean' },
}

const LIST_VALUE = { type: 'array', items: TEXT_VALUE, minItems: 1, maxItems: 100 }

const where = (values: Readonly<Record<string, readonly string[]>>): JsonSchema => ({
  properties: Object.fromEntries(Object.entries(values).map(([name, of]) => [name, { enum: of }])),
  required: Object.keys(values),
})

const withValue = (value: JsonSchema): JsonSchema => ({ properties: { value }, required: ['value'] })

const withOperator = (operators: readonly string[]): JsonSchema => ({
  properties: { operator: { enum: operators, 'x-codes': { enum: 'condition_operator_invalid' } } },
})

/** The schema of one condition, on a ticket or on a time entry. */
export const CONDITION: JsonSchema = {
  type: 'object',
  properties: {
    field: {
      type: 'string',
      enum: [...new Set(Object.values(CONDITION_FIELDS).flatMap((fields) => Object.keys(fields)))],
    },
    operator: { type: 'string', enum: [...new Set(Object.values(OPERATORS).flat())] },
    value: {},
  },
  required: ['field', 'operator'],
}

/** The schema of one condition. */
export function conditionSchema(name: ConditionsName): JsonSchema {
  const fields = Object.entries(CONDITION_FIELDS[name])
  const kinds = Object.keys(COMPARE) as FieldKind[]
  const fieldsOf = (kind: FieldKind) => fields.flatMap(([field, of]) => (of === kind ? [field] : []))
  return {
    type: 'object',
    properties: {
      field: {
        type: 'string',
        enum: fields.map(([field]) => field),
        'x-codes': { enum: 'condition_field_unknown' },
      },
      operator: { type: 'string', 'x-codes': { type: 'condition_operator_invalid' } },
      value: {},
    },
    required: ['field', 'operator'],
    allOf: [
      ...kinds.map((kind) => implies(where({ field: fieldsOf(kind) }), withOperator(OPERATORS[kind]))),
      ...kinds.map((kind) =>
        implies(where({ field: fieldsOf(kind), operator: COMPARE[kind] }), withValue(VALUE[kind])),
      ),
      implies(where({ field: fieldsOf('TEXT'), operator: AMONG }), withValue(LIST_VALUE)),
    ],
  }
}

/** The most conditions in one place. */
export const MOST_CONDITIONS = 50

/** The schemas of the fields that conditions have. */
export const conditionsFields = (name: ConditionsName): Readonly<Record<'match' | 'rules', JsonSchema>> => ({
  match: { type: 'string', enum: ['ALL', 'ANY'], default: 'ALL' },
  rules: { type: 'array', items: conditionSchema(name), maxItems: MOST_CONDITIONS, default: [] },
})
