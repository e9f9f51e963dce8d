/** Relations that GraphQL walks: one statement for all the rows of a list. */
import DataLoader from 'dataloader'
import type { Context } from '../gateway/context.ts'

/** Loads by key. `load` gets the keys that one request asked for together, and answers in their order. */
export function dataLoader<Key, Value>(load: (ctx: Context, keys: readonly Key[]) => Promise<Value[]>) {
  const loaders = new WeakMap<Context, DataLoader<Key, Value>>()
  return (ctx: Context, key: Key): Promise<Value> => {
    let loader = loaders.get(ctx)
    if (!loader) {
      // Nothing is kept from batch to batch: a document’s mutations may change what was loaded.
      loader = new DataLoader((keys) => load(ctx, keys), { cache: false })
      loaders.set(ctx, loader)
    }
    return loader.load(key)
  }
}
