/** Work that is done for several items at once as for one. */

interface Waiting<Item> {
  item: Item
  done: PromiseWithResolvers<void>
}

/**
 * Does the work on the items of each key. Items that come while work on their key is under way are done together after it,
 * so many at once at most. If that fails, each of them is tried alone: one does not fail the others.
 */
export function batches<Item>(
  most: number,
  work: (key: string, items: readonly Item[]) => Promise<unknown>,
): (key: string, item: Item) => Promise<void> {
  const waiting = new Map<string, Waiting<Item>[]>()

  async function alone(key: string, { item, done }: Waiting<Item>): Promise<void> {
    await work(key, [item]).then(() => done.resolve(), done.reject)
  }

  async function together(key: string, some: readonly Waiting<Item>[]): Promise<void> {
    const [first, ...more] = some
    if (first && more.length === 0) return await alone(key, first)
    try {
      await work(
        key,
        some.map(({ item }) => item),
      )
      for (const { done } of some) done.resolve()
    } catch {
      for (const one of some) await alone(key, one)
    }
  }

  async function drain(key: string, items: Waiting<Item>[]): Promise<void> {
    while (items.length > 0) await together(key, items.splice(0, most))
    waiting.delete(key)
  }

  return (key, item) => {
    const done = Promise.withResolvers<void>()
    const items = waiting.get(key)
    if (items) items.push({ item, done })
    else {
      const begun = [{ item, done }]
      waiting.set(key, begun)
      void drain(key, begun)
    }
    return done.promise
  }
}
