/** The SQL of lists: one page, a page for each of several parents, and sums over the rows of a list. */
import type { DatabaseContext } from '../db.ts'
import { allOf, type Fragment, keyOf, type Parameters, select, selectComposed } from './fragment.ts'
import { afterColumns, afterRow, type KeyValue, type OrderKey, orderBy } from './keyset.ts'
import { PAGE_SIZE } from './page-size.ts'
import type { Projection } from './projection.ts'
import { type Facets, pageOfRanges, type Ranges, type Walk } from './ranges.ts'

/** The rows of a list: `from` is a table and its alias, such as `agent a`. */
export interface Source {
  /** Names its statements. */
  name: string
  from: string
  columns: Projection
  /** Holds for every row of the list. */
  where?: string
  /** An index begins with them, and has the order of the list then. Of several, a page takes those that serve the most. */
  facets?: Facets | ((keys: readonly OrderKey[]) => readonly Facets[])
  /** Another one begins with the column of agents, and has these then. */
  facets_of_agents?: Facets
}

/** A condition on the rows of a list. */
export interface Condition extends Fragment {
  /** A key of the order that is constant under the condition, and so left out of the order. */
  fixes?: string
  /** The condition is a start of the list, which a cursor replaces. */
  is_start?: true
  /** The same condition as ranges of an index, which a page merges. */
  ranges?: Ranges
  /** The same condition on facets of the list alone. */
  facet?: string
  /** The facet tells less than the condition, which rows must meet too. */
  is_coarse?: true
  /** An index of its own has the list under conditions such as this one, so that facets are not looked for. */
  is_usual?: true
  /** An index of its own has the rows that meet it, in the order of the list or few of them. */
  is_indexed?: true
  /** The same, but in the order of the list for each agent alone. */
  is_indexed_by_agent?: true
  /** The same condition by rows of another table, whose order is the list's. */
  walk?: Walk
  /** The same condition as several, one of which holds: a page merges theirs. */
  either?: readonly Condition[]
  /** A condition on the keys of the order that follows from it, by the alias of the list. */
  of_keys?: Fragment
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
  /** Rows to leave out, if pages have numbers. */
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
    alias: walk.alias,
    keys: renamed,
    join: ` ${walk.join}`,
    values: walk.values ?? [],
    selected: selected.join(''),
    selected_keys: keys.map((key, index) => ({ ...key, column: `walked_${index}` })),
  }
}

/** The conditions, those on keys of the order by the rows that a page walks, and that of the cursor. */
function metBy(
  alias: string,
  walk: ReturnType<typeof walkOf>,
  conditions: readonly Condition[],
  after: PageQuery['after'],
): Fragment[] {
  const met = conditions.flatMap(({ of_keys, ...condition }): Fragment[] => [
    condition,
    ...(of_keys ? [{ ...of_keys, text: of_keys.text.replaceAll(`${alias}.`, `${walk.alias}.`) }] : []),
  ])
  return after ? [...met, afterRow(walk.alias, walk.keys, after)] : met
}

/** A statement, with the texts that tell it from others of its list. */
interface PageSql {
  parts: readonly string[]
  compose: () => string
  values: readonly unknown[]
}

function facetsOf(
  { facets }: Source,
  keys: readonly OrderKey[],
  of_agents: Facets | null,
): readonly Facets[] {
  if (of_agents) return [of_agents]
  if (typeof facets === 'function') return facets(keys)
  return facets ? [facets] : []
}

const NO_FACETS: { facets: null; served: Condition[] } = { facets: null, served: [] }

/** The conditions on these facets alone. */
const servedBy = (facets: Facets, alias: string, conditions: readonly Condition[]): Condition[] =>
  conditions.filter(
    ({ facet }) =>
      facet !== undefined &&
      [...facet.matchAll(/\b(\w+)\.(\w+)/g)].every(([, of, name = '']) => of !== alias || name in facets),
  )

/** The ranges of the condition, in the rows that another condition walks if there is one. */
function rangesOf(
  alias: string,
  divided: Condition | undefined,
  walked: Condition | undefined,
): Ranges | null {
  const { ranges = null } = divided ?? {}
  const { walk } = walked ?? {}
  if (!ranges || !walk) return ranges
  const on = ranges.on.replaceAll(`${alias}.agent_id`, `${walk.alias}.${walk.columns.agent_id}`)
  return { ...ranges, on, walk }
}

/** The page if its rows are in many ranges; otherwise null. */
function pageInRanges(
  source: Source,
  { keys, after }: PageQuery,
  conditions: readonly Condition[],
  selected: string,
): PageSql | null {
  const alias = aliasOf(source)
  const divided = conditions.find(({ ranges }) => ranges)
  const walked = conditions.find(({ walk }) => (divided ? walk?.columns.agent_id : walk))
  const by_agents = rangesOf(alias, divided, walked)
  const of_agents = (by_agents && source.facets_of_agents) || null
  const of_walk = (!divided && walked?.walk?.facets) || null
  const [best] = (of_walk ? [of_walk] : facetsOf(source, keys, of_agents))
    .map((facets) => ({ facets, served: servedBy(facets, alias, conditions) }))
    .sort((one, other) => other.served.length - one.served.length)
  const has_facets =
    of_walk !== null ||
    (!walked &&
      !conditions.some(({ is_indexed_by_agent }) => is_indexed_by_agent) &&
      best?.served.some(({ is_usual }) => !is_usual))
  const { facets, served } = (has_facets && best) || NO_FACETS
  const ranges = facets && !of_agents ? null : by_agents
  if (!facets && (!ranges || ranges.is_one)) return null
  const chosen = served.map(({ facet = '', values = [] }) => ({ text: facet, values }))
  const others = conditions.filter(
    (one) =>
      !(ranges && (one === divided || one === walked)) &&
      !(of_walk && one === walked) &&
      (one.is_coarse || !served.includes(one)),
  )
  const walk = walkOf(alias, keys, of_walk ? walked?.walk : ranges?.walk)
  const met = metBy(alias, walk, others, after)
  const texts = [...chosen, ...met].map(({ text }) => text)
  return {
    parts: ['ranges', ranges?.rows ?? '', ranges?.on ?? '', walk.join, `${facets !== null}`, ...texts],
    compose: () =>
      pageOfRanges({
        from: `${source.from}${walk.join}`,
        alias,
        own: ownRows(source),
        keys,
        walk,
        ranges,
        facets,
        chosen,
        met,
        selected,
        firstRows: (rows, rows_limit) => firstRows(rows, walk.selected_keys, rows_limit),
      }),
    values: [...(facets ? [walk, walk] : []), ...chosen, walk, ...met, walk, ...met].flatMap(
      (part) => part.values ?? [],
    ),
  }
}

/** The page if an index has its rows in the order of the list. */
function pageInOrder(
  source: Source,
  { keys, after, offset }: PageQuery,
  conditions: readonly Condition[],
  selected: string,
): PageSql {
  const alias = aliasOf(source)
  const has_own_index = conditions.some(({ is_indexed, walk }) => is_indexed && !walk)
  const walking = has_own_index ? undefined : conditions.find(({ walk }) => walk)
  const others = conditions.filter((one) => one !== walking)
  const walk = walkOf(alias, keys, walking?.walk)
  const met = metBy(alias, walk, others, after)
  return {
    parts: [`${offset > 0}`, walk.join, ...met.map(({ text }) => text)],
    compose: () => {
      const rows = `select ${alias}.*${walk.selected} from ${source.from}${walk.join}
        where ${ownRows(source)}${allOf(met).text} order by ${orderBy(walk.alias, walk.keys)}`
      const page = firstRows(rows, walk.selected_keys, '$limit', offset > 0 ? ' offset $offset' : '')
      return `select ${selected} from (${page}) ${alias} order by ${orderBy(alias, keys)}`
    },
    values: [walk, ...met].flatMap((part) => part.values ?? []),
  }
}

/** The page of rows that meet one of several conditions: the first of the pages of each. */
function pageOfEither(
  source: Source,
  { keys }: PageQuery,
  pages: readonly PageSql[],
  selected: string,
): PageSql {
  const alias = aliasOf(source)
  const order = orderBy('merged', keys)
  const columns = keys.map(({ column }) => `merged.${column}`).join(', ')
  const { column: id = '' } = keys.at(-1) ?? {}
  return {
    parts: ['either', ...pages.flatMap(({ parts }) => ['or', ...parts])],
    compose: () => `select ${selected} from (
        select distinct ${columns} from (${pages.map(({ compose }) => `(${compose()})`).join(' union all ')}) merged
        order by ${order} limit $limit
      ) merged join ${source.from} on ${ownRows(source)} and ${alias}.${id} = merged.${id}
      order by ${order}`,
    values: pages.flatMap(({ values }) => values),
  }
}

/** One page. If PostgreSQL must choose an index for the values of a condition, it is not told to merge ranges. */
export async function readPage<Row>(ctx: DatabaseContext, source: Source, query: PageQuery): Promise<Row[]> {
  const { wanted, keys, after, offset, limit, parameters } = query
  const alias = aliasOf(source)
  const conditions = query.conditions.filter(({ is_start }) => !(is_start && after))
  const is_custom = offset > 0 || conditions.some(({ custom_plan }) => custom_plan)
  const isInOrder = (among: readonly Condition[]): boolean => {
    const by_agents = among.some(({ ranges }) => ranges && !ranges.is_one)
    return (
      is_custom || among.some(({ is_indexed, facet }) => is_indexed && !(by_agents && facet !== undefined))
    )
  }
  const pageOf = (among: readonly Condition[], columns: string): PageSql =>
    (isInOrder(among) ? null : pageInRanges(source, query, among, columns)) ??
    pageInOrder(source, query, among, columns)
  /** Conditions that together are these: each has one of several. */
  const alternativesOf = (among: readonly Condition[]): (readonly Condition[])[] => {
    const divided = isInOrder(among) ? undefined : among.findLast(({ either }) => either)
    const others = among.filter((one) => one !== divided)
    return divided?.either?.flatMap((one) => alternativesOf([one, ...others])) ?? [among]
  }
  const columns = keys.map(({ column }) => column)
  const selected = source.columns.select(wanted, [...columns, ...query.also])
  const of_order = columns.map((column) => `${alias}.${column}`).join(', ')
  const alternatives = alternativesOf(conditions)
  const page =
    alternatives.length > 1
      ? pageOfEither(
          source,
          query,
          alternatives.map((among) => pageOf(among, of_order)),
          selected,
        )
      : pageOf(conditions, selected)
  return await selectComposed<Row>(
    ctx,
    source.name,
    {
      key: keyOf([source.name, `${is_custom}`, orderBy(alias, keys), selected, ...page.parts]),
      compose: page.compose,
      values: page.values,
      ...(is_custom && { custom_plan: true }),
    },
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
