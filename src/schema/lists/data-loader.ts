/** Data loaders: a relation of all rows of a list is read in one statement. */
import DataLoader from 'dataloader'
import type { Context } from '../../gateway/context.ts'

/** Loads by key. `load` gets the keys that one request asked for together, and answers in their order. */
export function dataLoader<Key, Value>(load: (ctx: Context, keys: readonly Key[]) => Promise<Value[]>) {
  const loaders = new WeakMap<Context, DataLoader<Key, Value>>()
  return (ctx: Context, key: Key): Promise<Value> => {
    let loader = loaders.get(ctx)
    if (!loader) {
      // No cache: a later mutation of the document may change the rows that were loaded.
      loader = new DataLoader((keys) => load(ctx, keys), { cache: false })
      loaders.set(ctx, loader)
    }
    return loader.load(key)
  }
}

/** The id of a row, with the fields that are wanted of it. */
export interface WantedRow<Id> {
  id: Id
  fields: ReadonlySet<string>
}

/** Loads rows by their ids, each with the fields that are wanted of any of them. null: there is no such row. */
export const rowLoader = <Id, Row>(
  read: (ctx: Context, ids: readonly Id[], fields: ReadonlySet<string>) => Promise<Row[]>,
  idOf: (row: Row) => Id,
) =>
  dataLoader<WantedRow<Id>, Row | null>(async (ctx, wanted) => {
    const fields = new Set(wanted.flatMap((one) => [...one.fields]))
    const ids = [...new Set(wanted.map(({ id }) => id))]
    const rows = new Map((await read(ctx, ids, fields)).map((row) => [idOf(row), row]))
    return wanted.map(({ id }) => rows.get(id) ?? null)
  })
