/** Lists in pages: the arguments and types that all have, and the signed cursor of a page's last row. */
import type { ObjectRef, OutputType } from '@pothos/core'
import { tenancyOf } from '../../db/db.ts'
import { decodeCursor, encodeCursor } from '../../db/query/cursor.ts'
import type { KeyValue, OrderKey } from '../../db/query/keyset.ts'
import { PAGE_SIZE } from '../../db/query/page-size.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder, type SchemaTypes } from '../builder.ts'
import { Cursor } from '../scalars/scalars.ts'

export interface PageInfo {
  next_cursor: string | null
  has_more: boolean
}

export interface Page<Row> {
  items: Row[]
  pagination: PageInfo
}

export const PaginationType = builder.objectRef<PageInfo>('Pagination').implement({
  description: 'The end of a page.',
  fields: (t) => ({
    next_cursor: t.exposeString('next_cursor', {
      nullable: true,
      description: 'Send it as `cursor` for the next page. null on the last one.',
    }),
    has_more: t.exposeBoolean('has_more', { description: 'True if there is a next page.' }),
  }),
})

/** A page of one type: `items`, which REST gives as `data`, and `pagination`, which REST gives in `meta`. */
function pageType<Row>(name: string, type: OutputType<SchemaTypes>): ObjectRef<SchemaTypes, Page<Row>> {
  return builder.objectRef<Page<Row>>(`${name}Page`).implement({
    description: `One page of a list of ${name}.`,
    fields: (t) => ({
      items: t.field({ type: [type], resolve: ({ items }) => items as never }),
      pagination: t.field({ type: PaginationType, resolve: ({ pagination }) => pagination }),
    }),
  })
}

const pages = new Map<string, unknown>()

/** The page of a type, under its name or another one. */
export function pageOf<Row>(
  type: ObjectRef<SchemaTypes, Row>,
  name: string = type.name,
): ObjectRef<SchemaTypes, Page<Row>> {
  const page = pages.get(name) ?? pageType<Row>(name, type)
  pages.set(name, page)
  return page as ObjectRef<SchemaTypes, Page<Row>>
}

/** `page_size` and `cursor`, as every list takes them. */
export const pageArgs = builder.args((t) => ({
  page_size: t.int({
    min: PAGE_SIZE.min,
    max: PAGE_SIZE.max,
    defaultValue: PAGE_SIZE.default,
    description: 'Items on the page.',
  }),
  cursor: t.field({ type: Cursor, description: 'The start of the page; the first page has none.' }),
}))

export interface PageRequest {
  page_size?: number | null | undefined
  cursor?: string | null | undefined
}

/**
 * Reads one page: `read` gets the key values of the row to start after (null for the first page) and how many rows to
 * read, which is one more than the page, so that it is known whether there is another. Everything else in the request
 * is filters, to which the cursor is bound.
 */
export async function page<Row>(
  ctx: Context,
  list: string,
  { page_size, cursor, ...filters }: PageRequest & Readonly<Record<string, unknown>>,
  read: (after: KeyValue[] | null, limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => KeyValue[],
): Promise<Page<Row>> {
  const size = page_size ?? PAGE_SIZE.default
  const { signing_secrets } = ctx.services
  const { tenant_id, environment } = tenancyOf(ctx)
  const scope = { tenant_id, environment, operation: list, filters }
  const after = cursor ? decodeCursor(signing_secrets, scope, cursor, ctx.now) : null
  const rows = await read(after, size + 1)
  const items = rows.slice(0, size)
  const last = items.at(-1)
  const has_more = rows.length > size
  const pagination = {
    has_more,
    // Lazy: nested lists have a cursor in every row, and clients often do not select it.
    get next_cursor() {
      return has_more && last ? encodeCursor(signing_secrets, scope, keyOf(last), ctx.now) : null
    },
  }
  return { items, pagination }
}

const keyValue = (value: unknown): KeyValue =>
  value instanceof Date ? value.toISOString() : (value as KeyValue)

/** One page of rows that have the columns of the keys. */
export const keysetPage = <Row>(
  ctx: Context,
  list: string,
  request: PageRequest & Readonly<Record<string, unknown>>,
  keys: readonly OrderKey[],
  read: (after: KeyValue[] | null, limit: number) => Promise<Row[]>,
): Promise<Page<Row>> =>
  page(
    ctx,
    list,
    request,
    async (after, limit) => {
      // A cursor that another release made may have other keys.
      if (after && after.length !== keys.length)
        throw new ApiError('invalid_cursor', { details: { reason: 'MALFORMED' } })
      return await read(after, limit)
    },
    (row) => keys.map(({ column }) => keyValue(row[column as keyof Row])),
  )
