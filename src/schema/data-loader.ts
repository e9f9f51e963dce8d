/** Data loaders: a relation of all rows of a list is read in one statement. */
import DataLoader from 'dataloader'
import type { Context } from '../gateway/context.ts'

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
