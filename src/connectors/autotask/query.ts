/**
 * The query language of Autotask PSA: a list of filters that are all met, groups of them, at most 500 alternatives in each.
 * Source: [HP] REST_Basic_Query_Calls, REST_Advanced_Query_Features.
 */

type Value = string | number | boolean

type Operator = 'eq' | 'noteq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'exist' | 'in'

export type Filter =
  | { op: Operator; field: string; value?: Value | readonly Value[] }
  | { op: 'and' | 'or'; items: readonly Filter[] }

const test =
  (op: Operator) =>
  (field: string, value: Value): Filter => ({ op, field, value })

export const eq = test('eq')
export const noteq = test('noteq')
export const gt = test('gt')
export const since = (field: string, date: Date): Filter => test('gte')(field, date.toISOString())
export const before = (field: string, date: Date): Filter => test('lt')(field, date.toISOString())
export const isIn = (field: string, value: readonly number[]): Filter => ({ op: 'in', field, value })
export const exists = (field: string): Filter => ({ op: 'exist', field })
export const some = (items: readonly Filter[]): Filter => ({ op: 'or', items })

/** Fewer than the 500 alternatives of a query, so that the answer is one page where they are ids of rows. */
const ALTERNATIVES = 200

/** The fewest queries that so many ids take. */
export const requestsForIds = (count: number): number => Math.ceil(count / ALTERNATIVES)

/** Each number once, as many together as one query takes. */
export function lots(numbers: readonly (number | null | undefined)[]): number[][] {
  const wanted = [...new Set(numbers.filter((one) => typeof one === 'number'))]
  return Array.from({ length: Math.ceil(wanted.length / ALTERNATIVES) }, (_, index) =>
    wanted.slice(index * ALTERNATIVES, (index + 1) * ALTERNATIVES),
  )
}

/** What rows are checked by. */
const CHECKED = new Set<Operator>(['eq', 'in', 'contains'])

/** The fields that a row has to have for `isMet`. */
export const checkedIn = (given: readonly Filter[]): string[] =>
  given.flatMap((one) => ('field' in one && CHECKED.has(one.op) ? [one.field] : []))

/** False for a row that the filter excludes, of the filters that name what a row belongs to. */
export function isMet(filter: Filter, row: Readonly<Record<string, unknown>>): boolean {
  if (!('field' in filter) || !CHECKED.has(filter.op)) return true
  const { op, field, value } = filter
  const given = row[field]
  if (op === 'eq') return given === value
  if (op === 'in') return Array.isArray(value) && value.includes(given)
  return String(given ?? '')
    .toLowerCase()
    .includes(String(value).toLowerCase())
}

/** A query has at least one filter. */
export const EVERYTHING = test('gte')('id', 0)

/** Ids are whole numbers from 0, which is the MSP’s own company (unverified). null: no id of anything there. */
export const idOf = (text: string): number | null => (/^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null)

/** Whether `contains` takes these for patterns is unverified. */
const SPECIAL = /[%_[\]]+/

/**
 * True of every row that has the word in one of the fields, and of some that do not if it has special characters: the
 * caller filters the answer. null: of every row.
 */
export function contains(fields: readonly string[], word: string): Filter | null {
  const pieces = word.split(SPECIAL).filter(Boolean)
  if (pieces.length === 0) return null
  const one = (field: string): Filter => ({
    op: 'and',
    items: pieces.map((piece) => test('contains')(field, piece)),
  })
  return some(fields.map(one))
}

export const filters = (...given: readonly (Filter | null | undefined | false)[]): Filter[] =>
  given.filter((one) => typeof one === 'object' && one !== null)
