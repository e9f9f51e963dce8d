/** Operations that answer with pages of a list. */
import type { InputFieldMap, ObjectRef } from '@pothos/core'
import type { Access } from '../../access/policies/policies.ts'
import type { Context } from '../../gateway/context.ts'
import type { OperationOptions } from '../../gateway/operation.ts'
import type { OpenWindow } from '../../lib/window.ts'
import type { Approval } from '../approval.ts'
import type { defineArea, SchemaTypes } from '../builder.ts'
import { addField } from '../row-type.ts'
import { checkWindow } from '../scalars/window.ts'
import type { Arguments, FilterType, List } from './list.ts'
import type { NestedList } from './nested-list.ts'
import { pageOf } from './page.ts'

export interface NamedOperation extends OperationOptions {
  description: string
  approval?: Approval
}

interface Rows {
  /** The type of the rows. */
  of: ObjectRef<SchemaTypes, unknown>
  /** The name of their page, if it is not that of the type. */
  page?: string
}

interface Options extends NamedOperation, Rows {
  /** Options of arguments beside those of the list, by name. */
  args?: Readonly<Record<string, object>>
  /** Throws the refusal of arguments: 404 for a row that they name and the caller does not see. */
  check?(ctx: Context, args: Arguments & OpenWindow): unknown
}

/** Adds the operation to the area. A list by `from` and `to` refuses a window that does not end after its start. */
export function listOperation<Row, Types extends Record<string, FilterType>>(
  area: ReturnType<typeof defineArea>,
  name: string,
  list: List<Row, Types>,
  { of, page, check, errors = [], args = {}, ...options }: Options,
): void {
  const has_window = 'from' in list.args && 'to' in list.args
  area.query(name, (t) => {
    const others = Object.entries(args).map(([argument, of_argument]) => [
      argument,
      t.arg(of_argument as never),
    ])
    return t.field({
      ...options,
      type: pageOf(of, page),
      errors: [...errors, ...(has_window ? (['invalid_window'] as const) : [])],
      args: { ...(Object.fromEntries(others) as InputFieldMap), ...list.args },
      resolve: async (root, given: Arguments & OpenWindow, ctx, info) => {
        if (has_window) checkWindow(given)
        await check?.(ctx, given)
        return (await list.resolve(root, given, ctx, info)) as never
      },
    })
  })
}

interface PagesOptions extends Rows {
  description: string
  /** The access that another area asks for. */
  access?: Access
}

/** Adds a field to the type of a row: the pages of the list whose parent is the column of the row. */
export const addPages = <Parent extends object>(
  type: ObjectRef<SchemaTypes, Parent>,
  name: string,
  list: NestedList,
  column: keyof Parent & string,
  { of, page, ...options }: PagesOptions,
): void =>
  addField(type, name, (t) =>
    t.field({
      ...options,
      type: pageOf(of, page),
      graph_only: true,
      ...(list.below(column) as object),
    } as never),
  )
