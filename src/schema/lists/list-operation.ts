/** Operations that answer with pages of a list. */
import type { InputFieldMap, ObjectRef } from '@pothos/core'
import type { Context } from '../../gateway/context.ts'
import type { OperationOptions } from '../../gateway/operation.ts'
import type { OpenWindow } from '../../lib/window.ts'
import type { Approval } from '../approval.ts'
import type { defineArea, SchemaTypes } from '../builder.ts'
import { checkWindow } from '../scalars/window.ts'
import type { Arguments, FilterType, List } from './list.ts'
import type { Page } from './page.ts'

export interface NamedOperation extends OperationOptions {
  description: string
  approval?: Approval
}

interface Options<Row> extends NamedOperation {
  /** The page of the rows: `pageOf` of their type. */
  type: ObjectRef<SchemaTypes, Page<Row>>
  /** Options of arguments beside those of the list, by name. */
  args?: Readonly<Record<string, object>>
  /** Throws the refusal of arguments: 404 for a row that they name and the caller does not see. */
  check?(ctx: Context, args: Arguments & OpenWindow): unknown
}

/** Adds the operation to the area. A list that takes a window refuses a window that does not end after its start. */
export function listOperation<Row, Types extends Record<string, FilterType>>(
  area: ReturnType<typeof defineArea>,
  name: string,
  list: List<Row, Types>,
  { check, errors = [], args = {}, ...options }: Options<Row>,
): void {
  area.query(name, (t) => {
    const others = Object.entries(args).map(([argument, of]) => [argument, t.arg(of as never)])
    return t.field({
      ...options,
      errors: [...errors, ...(list.has_window ? (['invalid_window'] as const) : [])],
      args: { ...(Object.fromEntries(others) as InputFieldMap), ...list.args },
      resolve: async (root, given: Arguments & OpenWindow, ctx, info) => {
        if (list.has_window) checkWindow(given)
        await check?.(ctx, given)
        return (await list.resolve(root, given, ctx, info)) as never
      },
    })
  })
}
