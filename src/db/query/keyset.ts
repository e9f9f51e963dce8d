/** Keyset pagination: the order of a list, and the condition that a row comes after a given one. */
import type { Fragment } from './fragment.ts'

/** One column of an order. The last of an order's keys makes it total: no two rows are equal in all of them. */
export interface OrderKey {
  column: string
  /** The column's type in PostgreSQL. */
  type: string
  descending: boolean
  /** Rows without a value come last, in either direction. */
  nullable: boolean
}

export type KeyValue = string | number | boolean | null

const key =
  (descending: boolean) =>
  (column: string, type: string, { nullable = false } = {}): OrderKey => ({
    column,
    type,
    descending,
    nullable,
  })

export const ascending = key(false)
export const descending = key(true)

/** The list of an `order by`, for rows called `alias`. */
export const orderBy = (alias: string, keys: readonly OrderKey[]): string =>
  keys
    .map(
      ({ column, descending: down, nullable }) =>
        `${alias}.${column}${down ? ' desc' : ''}${nullable ? ' nulls last' : ''}`,
    )
    .join(', ')

/** The SQL of a key's value in the last row of the previous page. */
type Placeholder = (key: OrderKey, index: number) => string

const isUniform = (keys: readonly OrderKey[]): boolean =>
  keys.every(({ descending: down, nullable }) => !nullable && down === keys[0]?.descending)

const comparison = ({ descending: down }: OrderKey): string => (down ? '<' : '>')

// A row value, which an index scan can start at, if all keys go one way; otherwise key by key. Placeholders are
// asked for in the order of the text.
function afterKeys(
  alias: string,
  keys: readonly OrderKey[],
  isNull: (index: number) => boolean,
  placeholder: Placeholder,
  from = 0,
): string {
  const rest = keys.slice(from)
  const [first] = rest
  if (!first) return 'false'
  const column = `${alias}.${first.column}`
  if (isUniform(rest)) {
    const columns = rest.map((one) => `${alias}.${one.column}`)
    const values = rest.map((one, index) => placeholder(one, from + index))
    return `(${columns.join(', ')}) ${comparison(first)} (${values.join(', ')})`
  }
  const value = () => placeholder(first, from)
  const beyond = () => `${column} ${comparison(first)} ${value()}`
  const later = () => afterKeys(alias, keys, isNull, placeholder, from + 1)
  if (isNull(from)) return `(${column} is null and ${later()})`
  if (first.nullable) return `(${beyond()} or ${column} is null or (${column} = ${value()} and ${later()}))`
  return `(${column} ${comparison(first)}= ${value()} and (${beyond()} or ${later()}))`
}

/** The condition that rows called `alias` come after the row with these key values. */
export function afterRow(alias: string, keys: readonly OrderKey[], values: readonly KeyValue[]): Fragment {
  const used: KeyValue[] = []
  const placeholder: Placeholder = ({ type }, index) => {
    used.push(values[index] ?? null)
    return `?::${type}`
  }
  const text = afterKeys(alias, keys, (index) => values[index] === null, placeholder)
  return { text, values: used }
}

/** The same condition for values in columns, none of which is null. */
export const afterColumns = (alias: string, keys: readonly OrderKey[], column: Placeholder): string =>
  afterKeys(alias, keys, () => false, column)
