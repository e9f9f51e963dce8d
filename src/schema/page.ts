/** Lists in pages: arguments, page types, and the keyset page that rows make. */
import type { ObjectRef, OutputType } from '@pothos/core'
import { decodeCursor, encodeCursor } from '../db/cursor.ts'
import { tenancyOf } from '../db/db.ts'
import type { Context } from '../gateway/context.ts'
import { builder, type SchemaTypes } from './builder.ts'
import { Cursor } from './scalars.ts'

export interface PageInfo {
  next_cursor: string | null
  has_more: boolean
}

export interface Page<Row> {
  items: Row[]
  pagination: PageInfo
}

export const PaginationType = builder.objectRef<PageInfo>('Pagination').implement({
  description: 'Where a page ends.',
  fields: (t) => ({
    next_cursor: t.exposeString('next_cursor', {
      nullable: true,
      description: 'Send it as `cursor` for the next page. null on the last one.',
    }),
    has_more: t.exposeBoolean('has_more', { description: 'Whether there is a next page.' }),
  }),
})

/** A page of one type: `items`, which REST gives as `data`, and `pagination`, which REST gives in `meta`. */
export function pageType<Row>(
  name: string,
  type: OutputType<SchemaTypes>,
): ObjectRef<SchemaTypes, Page<Row>> {
  return builder.objectRef<Page<Row>>(`${name}Page`).implement({
    description: `One page of a list of ${name}.`,
    fields: (t) => ({
      items: t.field({ type: [type], resolve: ({ items }) => items as never }),
      pagination: t.field({ type: PaginationType, resolve: ({ pagination }) => pagination }),
    }),
  })
}

/** `page_size` and `cursor`, as every list takes them. */
export const pageArgs = builder.args((t) => ({
  page_size: t.int({ min: 1, max: 200, defaultValue: 50, description: 'Items on the page.' }),
  cursor: t.field({ type: Cursor, description: 'Where the page starts; the first page has none.' }),
}))

interface PageRequest {
  page_size?: number | null | undefined
  cursor?: string | null | undefined
}

type SortKey = (string | number | boolean | null)[]

/**
 * Reads one page: `read` gets the sort key to start after (null for the first page) and how many rows to read,
 * which is one more than the page, so that it is known whether there is another.
 */
export async function page<Row>(
  ctx: Context,
  operation: string,
  { page_size, cursor, ...filters }: PageRequest & Record<string, unknown>,
  read: (after: SortKey | null, limit: number) => Promise<Row[]>,
  sortKey: (row: Row) => SortKey,
): Promise<Page<Row>> {
  const size = page_size ?? 50
  const { signing_secrets } = ctx.services
  const { tenant_id, environment } = tenancyOf(ctx)
  const scope = { tenant_id, environment, operation, filters }
  const after = cursor ? decodeCursor(signing_secrets, scope, cursor, ctx.now) : null
  const rows = await read(after, size + 1)
  const items = rows.slice(0, size)
  const last = items.at(-1)
  const has_more = rows.length > size
  const pagination = {
    has_more,
    // A list in every row of a list has as many cursors, and they are not always asked for.
    get next_cursor() {
      return has_more && last ? encodeCursor(signing_secrets, scope, sortKey(last), ctx.now) : null
    },
  }
  return { items, pagination }
}
