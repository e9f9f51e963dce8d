/** Lists in the rows of lists, such as the executions of each agent: one statement for all the rows of the outer list. */
import type { OrderKey } from '../../db/query/keyset.ts'
import { type ParentPage, readPagesOf, type Source } from '../../db/query/list.ts'
import type { Context } from '../../gateway/context.ts'
import { madeOf } from '../row-type.ts'
import { wantedFields } from '../selection.ts'
import { dataLoader } from './data-loader.ts'
import { keysetPage, type Page, type PageRequest, pageArgs } from './page.ts'

interface NestedDeclaration extends Source {
  order: readonly OrderKey[]
  /** The column that names the row that the list is in, with its type in PostgreSQL. */
  parent: { column: string; type: string }
  parameters?: Readonly<Record<string, (ctx: Context) => unknown>>
}

interface Wanted extends ParentPage {
  fields: ReadonlySet<string> | null
}

/** The fields that any of the pages wants; null: all of them. */
function union(pages: readonly Wanted[]): ReadonlySet<string> | null {
  const sets = new Set(pages.map(({ fields }) => fields))
  if (sets.has(null)) return null
  const [only = null] = sets
  return sets.size === 1 ? only : new Set([...sets].flatMap((fields) => [...(fields ?? [])]))
}

/** Declares a list in a list; `name` is that of its type and field. */
export function defineNestedList<Row>(declaration: NestedDeclaration) {
  const { name, order, parent, parameters = {} } = declaration
  if (order.some(({ nullable }) => nullable))
    throw new Error(`${name} is ordered by a column that may be null`)

  const pages = () =>
    dataLoader<Wanted, Row[]>((ctx, wanted) => {
      const values = Object.entries(parameters).map(([parameter, value]) => [parameter, value(ctx)])
      const parents = { ...parent, keys: order }
      return readPagesOf<Row>(ctx, declaration, parents, wanted, union(wanted), Object.fromEntries(values))
    })
  const first = pages()
  const later = pages()

  const page = (
    ctx: Context,
    id: string | number,
    { page_size, cursor }: PageRequest,
    fields: ReadonlySet<string> | null,
  ): Promise<Page<Row>> =>
    keysetPage(ctx, name, { page_size, cursor, parent: id }, order, (after, limit) =>
      (after ? later : first)(ctx, { parent: id, after, limit, fields }),
    )

  return {
    args: pageArgs,
    /** The page of one parent, with the fields that are wanted; null: with all. */
    page,
    /** The options of the field of a row whose column is the list’s parent. */
    below: <Parent extends object>(column: keyof Parent & string) => ({
      args: pageArgs,
      ...madeOf<Record<string, unknown>>()([column], (row, args: PageRequest, ctx, info) =>
        page(ctx, row[column] as string | number, args, wantedFields(info, 'items')),
      ),
    }),
  }
}

export type NestedList = Pick<ReturnType<typeof defineNestedList<unknown>>, 'below'>
