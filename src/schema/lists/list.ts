/**
 * Declared lists. One declaration says where the rows are, which columns they have, in which orders they come, by what
 * they are filtered and who sees which of them. Out of it come the arguments of both interfaces, one named statement
 * for each combination that callers ask for, and a cursor that is bound to the filters.
 */
import type { InputFieldRef, InputShapeFromTypeParam, InputType } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Parameters } from '../../db/query/fragment.ts'
import type { OrderKey } from '../../db/query/keyset.ts'
import {
  type Condition,
  openKeys,
  aggregate as readAggregate,
  readPage,
  type Source,
} from '../../db/query/list.ts'
import { PAGE_SIZE } from '../../db/query/page-size.ts'
import { type FieldError, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { containsPattern } from '../../lib/like-pattern.ts'
import { SEARCH } from '../bounds/bounds.ts'
import { builder, type SchemaTypes } from '../builder.ts'
import { wantedFields } from '../selection.ts'
import { keysetPage, type Page, type PageRequest, pageArgs } from './page.ts'

export type FilterType = InputType<SchemaTypes> | [InputType<SchemaTypes>]

type ValueOf<Type extends FilterType> = NonNullable<InputShapeFromTypeParam<SchemaTypes, Type, false>>

/** The arguments of a call. */
export type Arguments = PageRequest & Readonly<Record<string, unknown>>

/** An argument that narrows a list, with the options that every argument can have. */
export interface Filter<Type extends FilterType>
  extends Omit<PothosSchemaTypes.ArgFieldOptions<SchemaTypes, Type, boolean>, 'type' | 'description'> {
  type: Type
  description: string
  /**
   * The condition on the rows: SQL in which `?` is the value, or what the value makes of it. One function may look at
   * the other arguments too.
   */
  where: string | ((value: ValueOf<Type>, args: Arguments) => Condition | null)
  /** The condition if the argument is not given. */
  otherwise?: string | Condition
}

/** One of several orders that callers choose from. */
interface Order {
  description: string
  keys: readonly OrderKey[]
}

export interface ListDeclaration<Types extends Record<string, FilterType>> extends Source {
  /** One order, or those that the argument `sort` chooses from, the first of which is the default. */
  order: readonly OrderKey[] | { type: string; by: Readonly<Record<string, Order>> }
  filters: { [Name in keyof Types]: Filter<Types[Name]> }
  /** The condition that a row is seen by the caller; null: every row of the tenant is. */
  visible?: (ctx: Context, args: Arguments) => Condition | null
  /** Values that SQL of the list names: `$person` is the parameter `person`. */
  parameters?: Readonly<Record<string, (ctx: Context, args: Arguments) => unknown>>
  /** Pages have numbers too: the argument `page`, in place of `cursor`. */
  page_numbers?: true
}

type FilterArgs<Types extends Record<string, FilterType>> = {
  [Name in keyof Types]: InputFieldRef<SchemaTypes, InputShapeFromTypeParam<SchemaTypes, Types[Name], false>>
}

interface PageOptions {
  /** Columns that are selected whatever is wanted. */
  also?: readonly string[]
  /** Values that SQL of the list names, beside those of its declaration. */
  parameters?: Parameters
}

export interface List<Row, Types extends Record<string, FilterType>> {
  /** The arguments of the operation. */
  args: FilterArgs<Types> & typeof pageArgs
  /** One page, with the fields that are wanted (null: all of them). */
  page(
    ctx: Context,
    args: Arguments,
    wanted: ReadonlySet<string> | null,
    options?: PageOptions,
  ): Promise<Page<Row>>
  /** Answers with a page, of which it reads what is selected in `items`. */
  resolve(root: unknown, args: Arguments, ctx: Context, info: GraphQLResolveInfo): Promise<Page<Row>>
  /** Sums over the rows that some of the filters let through. */
  aggregate<Sums>(
    ctx: Context,
    args: Arguments,
    filters: readonly (keyof Types)[],
    sums: string,
  ): Promise<Sums | undefined>
}

const isSorted = (
  order: ListDeclaration<never>['order'],
): order is Exclude<typeof order, readonly OrderKey[]> => !Array.isArray(order)

const entriesOf = (filters: object) => Object.entries(filters as Record<string, Filter<FilterType>>)

const argsOf = <Types extends Record<string, FilterType>>({
  name,
  filters,
  order,
  page_numbers,
}: ListDeclaration<Types>) =>
  builder.args((t) => ({
    ...Object.fromEntries(
      entriesOf(filters).map(([argument, { where, otherwise, ...options }]) => [argument, t.field(options)]),
    ),
    ...(isSorted(order) && {
      sort: t.field({
        type: builder.enumType(order.type, {
          description: `The order of a list of ${name.replaceAll('_', ' ')}.`,
          values: order.by,
        }),
        defaultValue: Object.keys(order.by)[0] as never,
        description: 'The order.',
      }),
    }),
    ...(page_numbers && {
      page: t.int({
        min: 1,
        description: 'The number of the page, in place of `cursor`. 1 if it is left out.',
      }),
    }),
    ...pageArgs,
  })) as unknown as FilterArgs<Types> & typeof pageArgs

const EXCLUSIVE: FieldError = {
  field: 'page',
  location: 'query',
  code: 'exclusive',
  message: 'cannot be sent together with cursor',
}

/** The rows before the page with this number. */
function offsetOf({ page, cursor, page_size }: Arguments): number {
  if (typeof page !== 'number') return 0
  if (cursor) throw invalid([EXCLUSIVE])
  return (page - 1) * (page_size ?? PAGE_SIZE.default)
}

/** Declares a list; `name` is that of its operation. */
export function defineList<Row>() {
  return <Types extends Record<string, FilterType>>(
    declaration: ListDeclaration<Types>,
  ): List<Row, Types> => {
    const { name, order, visible, parameters = {} } = declaration
    const filters = entriesOf(declaration.filters)

    function conditionsOf(ctx: Context, args: Arguments, among = filters): Condition[] {
      const conditions: Condition[] = []
      const add = (condition: Condition | null | undefined): void => {
        if (condition) conditions.push(condition)
      }
      add(visible?.(ctx, args))
      for (const [argument, { where, otherwise }] of among) {
        const value = args[argument] ?? null
        if (value === null) add(typeof otherwise === 'string' ? { text: otherwise } : otherwise)
        else if (typeof where !== 'string') add(where(value as never, args))
        else add({ text: where, values: where.includes('?') ? [value] : [] })
      }
      return conditions
    }

    const named = Object.entries(parameters)

    function parametersOf(ctx: Context, args: Arguments): Record<string, unknown> {
      const values: Record<string, unknown> = {}
      for (const [parameter, value] of named) values[parameter] = value(ctx, args)
      return values
    }

    const keysOf = ({ sort }: Arguments): readonly OrderKey[] => {
      if (!isSorted(order)) return order
      return (order.by[String(sort)] ?? Object.values(order.by)[0])?.keys ?? []
    }

    const page: List<Row, Types>['page'] = async (
      ctx,
      args,
      wanted,
      { also = [], parameters: more } = {},
    ) => {
      const { page: _page, ...request } = args
      const conditions = conditionsOf(ctx, args)
      const keys = openKeys(keysOf(args), conditions)
      const query = {
        wanted,
        also,
        keys,
        conditions,
        parameters: { ...parametersOf(ctx, args), ...more },
        offset: offsetOf(args),
      }
      return await keysetPage(ctx, name, request, keys, (after, limit) =>
        readPage<Row>(ctx, declaration, { ...query, after, limit }),
      )
    }

    return {
      args: argsOf(declaration),
      page,
      resolve: (_root, args, ctx, info) => page(ctx, args, wantedFields(info, 'items')),
      aggregate: (ctx, args, among, sums) => {
        const chosen = filters.filter(([argument]) => among.includes(argument))
        const conditions = conditionsOf(ctx, args, chosen)
        return readAggregate(ctx, declaration, sums, conditions, parametersOf(ctx, args))
      },
    }
  }
}

/** The condition on what is a facet of the list, and a column of its rows. */
export const facet =
  (text: string) =>
  (value: unknown): Condition => ({ text, values: [value], facet: text })

/** The column is one of the values. A list of unknown length would be planned for every request; a subquery is not. */
export const anyOf =
  (column: string, type: string) =>
  (values: readonly string[]): Condition => ({
    text: `${column} = any(array(select unnest(?::text[])::${type}))`,
    values: [values],
  })

/** An index has the rows that meet the condition, in the order of the list or few of them. */
export const indexed =
  (text: string) =>
  (value: unknown): Condition => ({ text, values: [value], is_indexed: true })

/**
 * Longer text is found by an automaton, in time that grows with the column alone. `like` begins anew at every character,
 * and compares as much of the text as is there: in a column of `aaaa…`, nearly all of it.
 */
const MAX_COMPARED = 16

/** The column, which is searchable, contains the text, in any letter case and Unicode form. */
// Contract silent: search compares text in NFKC, so that no Unicode form of a name hides it.
export const contains =
  (column: string) =>
  (text: string): Condition => {
    // A full-width `％` is a wildcard only after its normalization, so that the text is normalized before it is escaped.
    const normal = text.normalize('NFKC')
    return normal.length > MAX_COMPARED
      ? { text: `${column} ~ ('***=' || lower(?::text))`, values: [normal] }
      : { text: `${column} like lower(?::text)`, values: [containsPattern(normal)] }
  }

/**
 * The argument `search`: rows whose column, which is searchable, contains the text. A column `search_text` has an index of
 * trigrams, which is for some texts.
 */
export const searchFor = (column: string, description: string): Filter<'String'> => ({
  ...SEARCH,
  type: 'String',
  description,
  where: (text) => ({
    ...contains(column)(text),
    ...(column.endsWith('.search_text') && { custom_plan: true }),
  }),
})
