/** The SQL of lists: one page, a page for each of several parents, and sums over the rows of a list. */
import type { DatabaseContext } from './db.ts'
import { allOf, type Fragment, keyOf, type Parameters, select, selectComposed } from './fragment.ts'
import { afterColumns, afterRow, type KeyValue, type OrderKey, orderBy } from './keyset.ts'
import { PAGE_SIZE } from './page-size.ts'
import type { Projection } from './projection.ts'

/** The rows of a list: `from` is a table and its alias, such as `agent a`. */
export interface Source {
  /** Names its statements. */
  name: string
  from: string
  columns: Projection
  /** Holds for every row of the list. */
  where?: string
}

/** A condition on the rows of a list. */
export interface Condition extends Fragment {
  /** A key of the order that is constant under the condition, and so left out of the order. */
  fixes?: string
  /** The condition is a start of the list, which a cursor replaces. */
  is_start?: true
  /** The same condition as ranges of an index, which a page merges. */
  range?: Range
  /** The same condition by rows of another table, whose order is the list's. */
  walk?: Walk
}

/**
 * Rows that are in several ranges of an index, each in the order of the list: `rows` has a row for each range, and `on`
 * joins the list's rows to it. A page then reads the first rows of each range, and costs the same however many rows
 * come before it and however many others there are.
 */
interface Range {
  rows: string
  values?: readonly unknown[]
  on: string
}

/**
 * Rows of another table, called `alias`, one for each row of the list that meets the condition: `join` joins them, and
 * `columns` are those of the order there. A page then follows an index of that table, which begins with the condition.
 */
interface Walk {
  join: string
  values?: readonly unknown[]
  alias: string
  columns: Readonly<Record<string, string>>
}

export interface PageQuery {
  wanted: ReadonlySet<string> | null
  /** Columns that are selected whatever is wanted. */
  also: readonly string[]
  keys: readonly OrderKey[]
  conditions: readonly Condition[]
  parameters: Parameters
  /** The key values of the row to start after; null for the first page. */
  after: readonly KeyValue[] | null
  limit: number
  /** Rows to leave out, where pages have numbers. */
  offset: number
}

const aliasOf = ({ from }: Source): string => from.split(' ').at(-1) ?? ''

const ownRows = (source: Source): string => {
  const alias = aliasOf(source)
  const where = source.where === undefined ? '' : ` and ${source.where}`
  return `${alias}.tenant_id = $1 and ${alias}.environment = $2${where}`
}

/** The largest page, and the row that tells whether there is another. */
const MAX_ROWS = PAGE_SIZE.max + 1

/**
 * The first rows, with a limit that PostgreSQL knows when it plans. It takes an unknown limit for a tenth of all rows,
 * and makes a new plan for every call; with the known one it keeps one plan.
 */
const firstRows = (rows: string, keys: readonly OrderKey[], limit: string, offset = ''): string =>
  `select * from (${rows}${offset} limit ${MAX_ROWS}) first order by ${orderBy('first', keys)} limit ${limit}`

/** The order without the keys that conditions fix. */
export const openKeys = (keys: readonly OrderKey[], conditions: readonly Condition[]): readonly OrderKey[] =>
  conditions.some(({ fixes }) => fixes !== undefined)
    ? keys.filter(({ column }) => !conditions.some(({ fixes }) => fixes === column))
    : keys

/** The rows whose order a page follows: those of the condition's other table, or else the list's own. */
function walkOf(alias: string, keys: readonly OrderKey[], walk: Walk | undefined) {
  if (!walk) return { alias, keys, join: '', values: [], selected: '', selected_keys: keys }
  const renamed = keys.map((key) => ({ ...key, column: walk.columns[key.column] ?? key.column }))
  const selected = renamed.map(({ column }, index) => `, ${walk.alias}.${column} as walked_${index}`)
  return {
    ...{ alias: walk.alias, keys: renamed, join: ` ${walk.join}`, values: walk.values ?? [] },
    selected: selected.join(''),
    selected_keys: keys.map((key, index) => ({ ...key, column: `walked_${index}` })),
  }
}

/** One page. PostgreSQL merges ranges, unless it must choose an index for the values of a condition. */
export async function readPage<Row>(ctx: DatabaseContext, source: Source, query: PageQuery): Promise<Row[]> {
  const { wanted, keys, after, offset, limit, parameters } = query
  const alias = aliasOf(source)
  const conditions = query.conditions.filter(({ is_start }) => !(is_start && after))
  const is_custom = offset > 0 || conditions.some(({ custom_plan }) => custom_plan)
  const ranges = is_custom ? [] : conditions.flatMap(({ range }) => range ?? [])
  const walking = conditions.find(({ walk }) => walk)
  const others: Fragment[] = conditions.filter((one) => one !== walking && (is_custom || !one.range))
  const walk = walkOf(alias, keys, walking?.walk)
  const met = after ? [...others, afterRow(walk.alias, walk.keys, after)] : others
  const order = orderBy(alias, keys)
  const columns = keys.map(({ column }) => column)
  const selected = source.columns.select(
    wanted,
    query.also.length > 0 ? [...columns, ...query.also] : columns,
  )

  const compose = (): string => {
    const on = ranges.map((range) => ` and ${range.on}`).join('')
    const rows = `select ${alias}.*${walk.selected} from ${source.from}${walk.join}
      where ${ownRows(source)}${on}${allOf(met).text} order by ${orderBy(walk.alias, walk.keys)}`
    const page = `(${firstRows(rows, walk.selected_keys, '$limit', offset > 0 ? ' offset $offset' : '')}) ${alias}`
    if (ranges.length === 0) return `select ${selected} from ${page} order by ${order}`
    const from = [...ranges.map((range) => range.rows), `lateral ${page}`].join(' cross join ')
    return `select ${selected} from ${from} order by ${order} limit $limit`
  }
  const flags = `${is_custom} ${offset > 0} ${ranges.length}`
  const parts = [...ranges.map(({ rows }) => rows), walk.join, ...met.map(({ text }) => text)]
  const key = keyOf([source.name, flags, order, selected, ...parts])
  const values = [...ranges, walk, ...met].flatMap((part) => part.values ?? [])
  return await selectComposed<Row>(
    ctx,
    source.name,
    { key, compose, values, ...(is_custom && { custom_plan: true }) },
    { ...parameters, limit, offset },
  )
}

/** Sums over all rows that meet the conditions, in one row. */
export async function aggregate<Row>(
  ctx: DatabaseContext,
  source: Source,
  sums: string,
  conditions: readonly Condition[],
  parameters: Parameters,
): Promise<Row | undefined> {
  const { text, values } = allOf(conditions)
  const is_custom = conditions.some(({ custom_plan }) => custom_plan)
  const [row] = await select<Row>(
    ctx,
    source.name,
    {
      text: `select ${sums} from ${source.from} where ${ownRows(source)}${text}`,
      values,
      ...(is_custom && { custom_plan: true }),
    },
    parameters,
  )
  return row
}

/** The page of one parent. */
export interface ParentPage {
  parent: string | number
  after: readonly KeyValue[] | null
  limit: number
}

export interface Parents {
  /** The column that names the parent, with its type in PostgreSQL. */
  column: string
  type: string
  keys: readonly OrderKey[]
}

/** A page for each of several parents, in one statement: all first pages, or all later ones. */
export async function readPagesOf<Row>(
  ctx: DatabaseContext,
  source: Source,
  { column, type, keys }: Parents,
  pages: readonly ParentPage[],
  wanted: ReadonlySet<string> | null,
  parameters: Parameters,
): Promise<Row[][]> {
  const alias = aliasOf(source)
  const is_later = pages.some(({ after }) => after !== null)
  const starts = is_later ? keys : []
  const order = orderBy(alias, keys)
  const selected = source.columns.select(
    wanted,
    keys.map((one) => one.column),
  )
  const compose = (): string => {
    const arrays = starts.map((one, index) => `, $start_${index}::text[]::${one.type}[]`).join('')
    const names = starts.map((_, index) => `, start_${index}`).join('')
    const after = is_later
      ? ` and ${afterColumns(alias, keys, (_key, index) => `wanted.start_${index}`)}`
      : ''
    const rows = `select ${alias}.* from ${source.from}
      where ${ownRows(source)} and ${column} = wanted.parent${after} order by ${order}`
    return `select ${selected}, wanted.place::int as place
      from unnest($parents::text[]::${type}[], $sizes::int[]${arrays}) with ordinality
        as wanted (parent, size${names}, place)
      cross join lateral (${firstRows(rows, keys, 'wanted.size')}) ${alias}
      order by wanted.place, ${order}`
  }
  const startValues = starts.map((_, index) => [
    `start_${index}`,
    pages.map((page) => String(page.after?.[index])),
  ])
  const found = await selectComposed<Row & { place: number }>(
    ctx,
    source.name,
    { key: keyOf([source.name, `pages ${is_later}`, column, type, order, selected]), compose },
    {
      ...parameters,
      parents: pages.map(({ parent }) => String(parent)),
      sizes: pages.map(({ limit }) => limit),
      ...Object.fromEntries(startValues),
    },
  )
  const byPlace = Map.groupBy(found, ({ place }) => place)
  return pages.map((_, index) => byPlace.get(index + 1) ?? [])
}
