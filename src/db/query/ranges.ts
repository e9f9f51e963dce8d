/**
 * Pages of rows that are in many ranges of an index: those of many agents, or of all combinations of a few columns with
 * few values. A page reads the first row of each range, and then only rows of ranges that can have a part in it.
 */
import { allOf, type Fragment } from './fragment.ts'
import { type OrderKey, orderBy } from './keyset.ts'

/**
 * Rows of another table, called `alias`, one for each row of the list that meets the condition: `join` joins them, and
 * `columns` are those of the order there. A page then follows an index of that table, which begins with the condition and,
 * if there are facets, with these.
 */
export interface Walk {
  join: string
  values?: readonly unknown[]
  alias: string
  columns: Readonly<Record<string, string>>
  facets?: Facets
}

/** SQL of the rows that name ranges, called `alias`, and of their columns; `on` joins rows of the list to them. */
export interface Ranges {
  rows: string
  alias: string
  columns: readonly string[]
  on: string
  /** There is one. */
  is_one?: true
  /** The rows of another table that the ranges are of. */
  walk?: Walk
}

/** The SQL of what has few values and is never null, by the name that conditions call it. */
export type Facets = Readonly<Record<string, string>>

interface Options {
  /** The table and its alias, and the table that is walked. */
  from: string
  alias: string
  /** Holds for the rows of the list that the caller may see. */
  own: string
  keys: readonly OrderKey[]
  /** The rows whose order is followed, and their keys as a page selects them. */
  walk: { alias: string; keys: readonly OrderKey[]; selected: string }
  ranges: Ranges | null
  facets: Facets | null
  /** On the facets. */
  chosen: readonly Fragment[]
  /** On the rows. */
  met: readonly Fragment[]
  firstRows(rows: string, limit: string): string
  selected: string
}

/** The name of the rows that name ranges if there are facets alone. */
const RANGE = 'facet'

/**
 * The combinations of the facets that rows have, of each range: each step of the recursion finds the next one by the
 * index that begins with them.
 */
function facetsOf({ from, alias, own, ranges, chosen }: Options, facets: Facets): string {
  const names = Object.keys(facets)
  const columns = Object.entries(facets).map(([name, sql]) => `${sql} as ${name}`)
  const inherited = (ranges?.columns ?? []).map((column) => `${ranges?.alias}.${column}, `).join('')
  const on = ranges ? ` and ${ranges.on}` : ''
  const next = (condition: string) => `lateral (select ${columns.join(', ')} from ${from}
    where ${own}${on}${condition} order by ${Object.values(facets).join(', ')} limit 1) next`
  const of = ranges?.alias ?? RANGE
  const known = names.map((name) => `${of}.${name}`).join(', ')
  return `(with recursive found as (
    select ${inherited}next.* from ${ranges ? `${ranges.rows} cross join ` : ''}${next('')}
    union all
    select ${inherited}next.* from found ${of}
      cross join ${next(` and (${Object.values(facets).join(', ')}) > (${known})`)}
  ) select * from found ${alias} where true${allOf(chosen).text}) ${of}`
}

/**
 * The SQL of a page. Its `?` are the values of the walk twice if there are facets, those of the chosen facets, and twice
 * those of the walk and of the conditions on rows.
 */
export function pageOfRanges(options: Options): string {
  const { from, alias, own, keys, walk, ranges, facets, met, firstRows, selected } = options
  const of = ranges?.alias ?? RANGE
  const order = orderBy(alias, keys)
  const rows_of = facets ? facetsOf(options, facets) : (ranges?.rows ?? '')
  const on = [
    ...(ranges ? [ranges.on] : []),
    ...Object.entries(facets ?? {}).map(([name, sql]) => `${sql} = ${of}.${name}`),
  ].join(' and ')
  const where = `${own} and ${on}${allOf(met).text}`
  const walked = orderBy(walk.alias, walk.keys)
  const first = walk.keys.map(({ column }) => `${walk.alias}.${column}`).join(', ')
  // As many rows of the page as there are ranges before this one are of those.
  const page = firstRows(
    `select ${alias}.*${walk.selected} from ${from} where ${where} order by ${walked}`,
    `$limit - ${of}.place + 1`,
  )
  return `with head as materialized (
      select ${of}.*, dense_rank() over (order by ${orderBy('first', walk.keys)}) as place
      from ${rows_of} cross join lateral (
        select ${first} from ${from} where ${where} order by ${walked} limit 1
      ) first
    )
    select ${selected} from head ${of} cross join lateral (${page}) ${alias}
    where ${of}.place <= $limit order by ${order} limit $limit`
}
